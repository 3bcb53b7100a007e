// The default of `limits.memory`.
import { expect, it } from "vitest";
import { defaultLimit } from "../../../envoy/overload.ts";

const MIB = 1024 ** 2;

it.each([
  [256, 64],
  [512, 128],
  [1024, 384],
  [2048, 896],
  [16_384, 8064],
])("Envoy may use, of %i MiB, %i MiB, so that the programs have 256 MiB", (memory, expected) => {
  expect(defaultLimit(memory * MIB) / MIB).toBe(expected);
});
