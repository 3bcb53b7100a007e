// Booleans: named by the words of the parameter, negated or not; a flag that the text leaves open is not set.
import { expect, it } from "vitest";
import {
  isFlag,
  readFlag,
  readFlagOption,
} from "../../../../../control-plane/model-server/extraction/flags.ts";
import {
  ownWords,
  type Parameter,
} from "../../../../../control-plane/model-server/extraction/parameter.ts";

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
  ["insurance_accepted", "a therapist who accepts insurance", true],
  ["smoking_allowed", "a non-smoking room", false],
  ["has_laundry_service", "a flat with laundry", true],
  ["private_visibility", "send it privately", true],
  ["good_for_kids", "a museum for children", true],
  ["lights", "turn off the lights", false],
])("%s in %s is %s", (name, text, value) => {
  expect(readFlag(flag(name), text, NO_WORDS)).toBe(value);
});

it("a flag is an option where the options are true and false", () => {
  const laundry = {
    ...flag("has_laundry"),
    type: "string",
    enum: ["True", "False", "dontcare"],
  } as const;
  expect(isFlag(laundry)).toBe(true);
  expect(readFlagOption(laundry, "a flat with laundry", NO_WORDS)).toBe("True");
  expect(readFlagOption(laundry, "a flat without laundry", NO_WORDS)).toBe("False");
  expect(readFlagOption(laundry, "a flat", NO_WORDS)).toBeUndefined();
});

it("a flag is not read from the words of the target itself", () => {
  const own = ownWords({ name: "send_report", description: "Send the report" });
  expect(readFlag(flag("send"), "send the report", own)).toBeUndefined();
});
