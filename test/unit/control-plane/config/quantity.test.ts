// Durations and sizes: what people write, and what is refused.
import { describe, expect, it } from "vitest";
import { parseDuration, parseSize } from "../../../../control-plane/config/quantity.ts";

describe("durations", () => {
  it.each([
    ["30s", 30_000],
    ["500ms", 500],
    ["2m", 120_000],
    ["1h", 3_600_000],
    ["1m30s", 90_000],
    ["1.5s", 1500],
    ["0s", 0],
  ])("%s is %d ms", (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each(["", "30", "s", "30 s", "-1s", "30sec", "1e3s", "s30", "30s ", "1d", "99999999999s"])(
    "%j is none",
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});

describe("sizes", () => {
  it.each([
    ["32MiB", 33_554_432],
    ["60KiB", 61_440],
    ["1kb", 1000],
    ["1.5 MiB", 1_572_864],
    ["10M", 10_000_000],
    ["2Gi", 2_147_483_648],
    ["512", 512],
    ["512B", 512],
    [1024, 1024],
    [0, 0],
  ])("%j is %d bytes", (value, bytes) => {
    expect(parseSize(value)).toBe(bytes);
  });

  it.each(["", "MiB", "-1MiB", "1TiB", "1 2 MiB", "0x10", "1,5MiB", -1, 1.5, Number.NaN, Infinity])(
    "%j is none",
    (value) => {
      expect(parseSize(value)).toBeUndefined();
    },
  );
});
