// Values of two parameters of one kind: the direction that the text states wins over the trained extractor.
import { expect, it } from "vitest";
import type { Parameter } from "../../../../../control-plane/model-server/extraction/parameter.ts";
import { assignedByRole } from "../../../../../control-plane/model-server/extraction/roles.ts";

function parameter(name: string, description: string, more: Partial<Parameter> = {}): Parameter {
  return { name, description, required: true, type: "string", ...more };
}
const CODES = [parameter("from_currency", "ISO code"), parameter("to_currency", "ISO code")];
const DESCRIBED = [
  parameter("a", "currency to convert from, for example USD"),
  parameter("b", "currency to convert to"),
];
const CITIES = [parameter("origin", "city"), parameter("destination", "city")];
const DATES = [parameter("start_date", ""), parameter("end_date", "")];
const NAMES = [parameter("first_name", ""), parameter("last_name", "")];

/** The words of each parameter's span, `-` for none. */
it.each<[string, Parameter[], string, string[], string[]]>([
  ["as stated", CODES, "from USD to GBP", ["USD", "GBP"], ["USD", "GBP"]],
  ["exchanged", CODES, "from USD to GBP", ["GBP", "USD"], ["USD", "GBP"]],
  ["exchanged", DESCRIBED, "from USD to GBP", ["GBP", "USD"], ["USD", "GBP"]],
  ["one direction", CODES, "dollars into yen", ["yen", "dollars"], ["dollars", "yen"]],
  ["in", CODES, "20 USD in GBP", ["GBP", "USD"], ["USD", "GBP"]],
  ["one value", CITIES, "a train to Paris", ["Paris", "-"], ["-", "Paris"]],
  ["one value", CITIES, "a train from Paris", ["-", "Paris"], ["Paris", "-"]],
  ["no direction", CITIES, "Paris, Rome", ["Paris", "Rome"], ["Paris", "Rome"]],
  ["a place", CITIES, "trains in Paris", ["Paris", "-"], ["Paris", "-"]],
  ["dates", DATES, "from May to June", ["June", "May"], ["May", "June"]],
  ["a month", DATES, "start in May", ["May", "-"], ["May", "-"]],
  ["names", NAMES, "write to Ann Lee", ["Ann", "Lee"], ["Ann", "Lee"]],
])("%s: %o, %s", (_, parameters, text, found, right) => {
  const spans = found.map((words) => {
    const start = text.indexOf(words);
    return start < 0 ? undefined : { start, end: start + words.length };
  });
  const assigned = assignedByRole(parameters, text, spans);
  expect(assigned.map((from) => (from === undefined ? "-" : found[from]))).toEqual(right);
});
