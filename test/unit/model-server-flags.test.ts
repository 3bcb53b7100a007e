// Booleans: named by the words of the parameter, negated or not; a flag that the text leaves open is not set.
import { expect, it } from "vitest";
import { readFlag } from "../../control-plane/model-server/extraction/flags.ts";
import { ownWords, type Parameter } from "../../control-plane/model-server/extraction/parameter.ts";

const flag = (name: string): Parameter => ({
  name,
  description: "",
  required: false,
  type: "boolean",
});
const NO_WORDS: ReadonlySet<string> = new Set();

it.each<[string, string, boolean | undefined]>([
  ["force", "Force a reboot of switch 7", true],
  ["force", "reboot it forcefully", undefined],
  ["force", "reboot 7 without force", false],
  ["force", "don't force it", false],
  ["force", "force: false", false],
  ["hourly", "hourly forecast for Rome", true],
  ["include_breakfast", "a room with breakfast", true],
  ["include_breakfast", "a room, no breakfast", false],
  ["breakfast", "ohne breakfast", false],
  ["round_trip", "a round trip to Rome", true],
  ["smoking_allowed", "not concerned about whether smoking is allowed", undefined],
  ["late_fee", "no history of any late fee", false],
  ["urgent", "reboot 7", undefined],
])("%s in %s is %s", (name, text, value) => {
  expect(readFlag(flag(name), text, NO_WORDS)).toBe(value);
});

it("is not read from the words of the target itself", () => {
  const own = ownWords({ name: "send_report", description: "Send the report" });
  expect(readFlag(flag("send"), "send the report", own)).toBeUndefined();
});
