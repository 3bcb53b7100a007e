// The roles of two parameters of one kind, such as `from` and `to`: a value that the text states with the other direction
// is the other parameter's.
import { words } from "../similarity.ts";
import type { Span } from "../text-span.ts";
import { kindOf, type Parameter, withoutExamples } from "./parameter.ts";

type Direction = "from" | "to";

const FROM = /\b(?:from|source|base|origin|departure|start|have|sell)\b/i;
const TO = /\b(?:to|into|target|quote|destination|arrival|end|until|want|buy)\b/i;
/** `currency to convert from`: the preposition at the end counts. */
const ENDS_WITH = /\b(from|to|into)\s*(?:[,.;:]|$)/i;
const BEFORE_FROM =
  /(?:^|[^\p{L}])(?:from|leave|leaving|von|de|desde)\s+(?:(?:is|the|on)\s+|\p{Sc}?[\d.,]+\s*)?$/iu;
const BEFORE_TO =
  /(?:^|[^\p{L}])(?:to|into|until|till|nach|bis|zu|à|vers|hacia|hasta)\s+(?:(?:is|the)\s+)?$/iu;
/** `20 dollars in euros`, `hello in German`; but `in Paris` and `in May` have no direction. */
const BEFORE_RESULT = /(?:^|[^\p{L}])in\s+(?:the\s+)?$/iu;

/** Returns the index of the parameter whose span each parameter gets, or undefined for none. */
export function assignedByRole(
  parameters: readonly Parameter[],
  text: string,
  spans: readonly (Span | undefined)[],
): (number | undefined)[] {
  const assigned = spans.map((span, index) => (span === undefined ? undefined : index));
  parameters.forEach((parameter, index) => {
    const span = spans[index];
    const role = roleOf(parameter);
    if (span === undefined || role === undefined || !contradicts(parameter, role, text, span))
      return;
    const rival = parameters.findIndex((other) => isRival(parameter, other));
    if (rival < 0) return;
    const other = spans[rival];
    assigned[index] =
      other === undefined || contradicts(parameter, role, text, other) ? undefined : rival;
    assigned[rival] = index;
  });
  return assigned;
}

/** Whether both take the same kind of value, in opposite directions. */
function isRival(one: Parameter, other: Parameter): boolean {
  const [role, otherRole] = [roleOf(one), roleOf(other)];
  const areOpposite = role !== undefined && otherRole !== undefined && role !== otherRole;
  return areOpposite && kindOf(one) === kindOf(other);
}

function roleOf({ name, description }: Parameter): Direction | undefined {
  const called = words(name);
  if (FROM.test(called) !== TO.test(called)) return FROM.test(called) ? "from" : "to";
  const text = withoutExamples(description);
  const last = ENDS_WITH.exec(text)?.[1];
  if (last !== undefined) return last.toLowerCase() === "from" ? "from" : "to";
  if (FROM.test(text) !== TO.test(text)) return FROM.test(text) ? "from" : "to";
  return undefined;
}

function contradicts(
  parameter: Parameter,
  role: Direction,
  text: string,
  { start }: Span,
): boolean {
  const before = text.slice(Math.max(0, start - 40), start);
  if (role === "to") return BEFORE_FROM.test(before);
  const hasResults = ["currency", "enum"].includes(kindOf(parameter));
  return BEFORE_TO.test(before) || (hasResults && BEFORE_RESULT.test(before));
}
