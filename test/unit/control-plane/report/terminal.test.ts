// Colours, tables and durations as the command line prints them.
import { describe, expect, it } from "vitest";
import {
  duration,
  printable,
  table,
  wantsColor,
} from "../../../../control-plane/report/terminal.ts";

describe("the terminal", () => {
  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: "1" }, true, false],
    [{ NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
    [{ NO_COLOR: "" }, true, true],
    [{ FORCE_COLOR: "1" }, false, true],
    [{ FORCE_COLOR: "0" }, true, false],
    [{ TERM: "dumb" }, true, false],
    [{ CI: "true" }, false, false],
  ])("the terminal has colour with %o and isTTY %s: %s", (environment, isTTY, expected) => {
    expect(wantsColor(environment, { isTTY })).toBe(expected);
  });

  it("the terminal gets no character that controls it or the direction of a text", () => {
    const text = "a\u001b[31mb\u0007c\u202ed\u2066e\u200ff";
    expect(printable(text)).toBe("a?[31mb?c?d?e?f");
  });

  it("the terminal aligns columns, not counting colours", () => {
    expect(
      table([
        ["a", "b"],
        ["\x1b[31mlong\x1b[39m", "c"],
        ["d", ""],
      ]),
    ).toEqual(["a     b", "\x1b[31mlong\x1b[39m  c", "d"]);
  });

  it.each([
    [0.4, "0s"],
    [42, "42s"],
    [187, "3m 07s"],
    [3600 * 5 + 720, "5h 12m"],
    [86400 * 2 + 3 * 3600, "2d 3h"],
  ])("the terminal writes %s seconds as %s", (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});
