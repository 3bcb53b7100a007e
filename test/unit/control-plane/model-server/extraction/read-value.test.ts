// A span of a prompt as a value of its parameter, and spans of several parameters.
import { describe, expect, test } from "vitest";
import type { Parameter } from "../../../../../control-plane/model-server/extraction/parameter.ts";
import { settled } from "../../../../../control-plane/model-server/extractor/spans.ts";
import {
  readValue,
  wholeSpan,
} from "../../../../../control-plane/model-server/extraction/read-value.ts";

const NOW = new Date("2026-11-22T12:00:00");

function parameter(name: string, type: Parameter["type"], more: Partial<Parameter> = {}) {
  return { name, description: "", required: true, type, ...more };
}
const AMOUNT = parameter("amount", "number");
const DAYS = parameter("days", "integer", { description: "number of days" });
const MINUTES = parameter("duration_minutes", "integer");
const CURRENCY = parameter("from", "string", { description: "currency to convert from" });
const DATE = parameter("date", "string", { format: "YYYY-MM-DD" });
const TIME = parameter("time", "string", { format: "HH:MM" });
const TITLE = parameter("title", "string");
const DEVICE = parameter("device_id", "string");
const CITY = parameter("city", "string");
const UNIT = parameter("unit", "string", { enum: ["celsius", "fahrenheit"] });

test.each<[Parameter, string, unknown]>([
  [AMOUNT, "99.50", 99.5],
  [AMOUNT, "1,250.75", 1250.75],
  [AMOUNT, "3.5k", 3500],
  [AMOUNT, "two hundred", 200],
  [AMOUNT, "twenty five", 25],
  [AMOUNT, "half a million", 500_000],
  [AMOUNT, "a", undefined],
  [AMOUNT, "75EUR", 75],
  [AMOUNT, "10.0.0.1", undefined],
  [AMOUNT, "2-3", undefined],
  [AMOUNT, "a dozen", 12],
  [AMOUNT, "some", undefined],
  [DAYS, "3 days", 3],
  [DAYS, "a week", 7],
  [DAYS, "two weeks", 14],
  [DAYS, "próximos", undefined],
  [DAYS, "3 días", 3],
  [MINUTES, "45 minutes", 45],
  [MINUTES, "one hour", 60],
  [MINUTES, "30-minute", 30],
  [MINUTES, "half an hour", 30],
  [MINUTES, "1h 30m", 90],
  [MINUTES, "2 hours", 120],
  [MINUTES, "90", 90],
  [CURRENCY, "usd", "USD"],
  [CURRENCY, "Swiss francs", "CHF"],
  [CURRENCY, "€", "EUR"],
  [CURRENCY, "Mexican pesos", "MXN"],
  [DATE, "December 5th, 2026", "2026-12-05"],
  [DATE, "tomorrow", "2026-11-23"],
  [DATE, "last words", undefined],
  [TIME, "9:30am", "09:30"],
  [TIME, "3pm", "15:00"],
  [TIME, "noon", "12:00"],
  [TIME, "11", "11:00"],
  [TIME, "07:15", "07:15"],
  [TIME, "the team", undefined],
  [TITLE, '"Team lunch"', "Team lunch"],
  [TITLE, "Release 2.0", "Release 2.0"],
  [DEVICE, "#5521", "5521"],
  [TITLE, "title: Budget review", "Budget review"],
  [TITLE, "Amelia's", "Amelia"],
  [TITLE, "main_db', username is 'admin", undefined],
  [TITLE, "my shop? Their number", undefined],
  [TITLE, "the same", undefined],
  [CITY, "Rome to Paris", undefined],
  [CITY, "Lisboa amanhã", undefined],
  [DEVICE, "no. 5521", "5521"],
  [DEVICE, "LH 400", "LH 400"],
  [DEVICE, "my router", undefined],
  [DEVICE, "last Friday", undefined],
  [DATE, "1.8.2027", "2027-08-01"],
  [DATE, "ten days", undefined],
  [DATE, "5 days from 2026-12-24", undefined],
  [UNIT, "°F", "fahrenheit"],
  [UNIT, "Fahrenheit", "fahrenheit"],
  [UNIT, "kelvin", undefined],
])("%o from %s is %o", (wanted, said, value) => {
  expect(readValue(wanted, said, NOW)).toEqual(value);
});

describe("a span grows to whole words", () => {
  test.each<[Parameter, string, string, string]>([
    [DEVICE, "device 10.0.0.1 hangs", "10", "10.0.0.1"],
    [DEVICE, "reboot fe80::1.", "fe80", "fe80::1"],
    [DEVICE, "is (2024/DE/0091) there?", "DE", "2024/DE/0091"],
    [DATE, "on March 10th 2023 please", "March 10th", "March 10th 2023"],
    [DATE, "from 2023 April 21st on", "April 21st", "2023 April 21st"],
    [TITLE, "Termin namens Zahnarzt", "Zahn", "Zahnarzt"],
    [AMOUNT, "75eur", "75", "75eur"],
    [AMOUNT, "at 10.0.0.1, now", "10", "10.0.0.1"],
    [DEVICE, "restart sw-edge-9 now", "edge", "sw-edge-9"],
    [TITLE, "named Release-2.0.", "Release", "Release-2.0"],
    [TITLE, "a Boston-Denver flight", "Boston", "Boston"],
    [TITLE, "東京の天気", "東京", "東京"],
    [CURRENCY, "75eur", "eur", "eur"],
  ])("%o in %s", (wanted, prompt, found, whole) => {
    const start = prompt.indexOf(found);
    const span = wholeSpan(wanted, prompt, { start, end: start + found.length });
    expect(prompt.slice(span.start, span.end)).toBe(whole);
  });
});

test("no word is for two parameters: the surer one has it, the other its next best", () => {
  const first = { start: 0, end: 3, odds: 5 };
  const second = { start: 8, end: 11, odds: 1 };
  expect(settled([[{ ...first, odds: 2 }, second], [first]], 0)).toEqual([second, first]);
  expect(settled([[{ ...first, odds: 2 }, second], [first]], 2)).toEqual([undefined, first]);
});
