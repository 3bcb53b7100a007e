// The decisions about a prompt as rows of a table: a name and a text.
import type { PromptDecisions } from "./prompt-calls.ts";

/** Returns guard, scores, decision and parameters. */
export function decisionRows(decisions: PromptDecisions): string[][] {
  const { guard, arguments: found } = decisions;
  const scores = Object.entries(decisions.scores).sort(([, one], [, other]) => other - one);
  return [
    ...(guard === undefined
      ? []
      : [["Guard", `${guard.refuses ? "refuses" : "passes"} (${guard.probability.toFixed(3)})`]]),
    ...scores.map(([name, value], index) => [
      index === 0 ? "Scores" : "",
      `${value.toFixed(3)}  ${name}`,
    ]),
    ["Decision", decisionWords(decisions)],
    ...(found === undefined ? [] : [["Parameters", JSON.stringify(found)]]),
  ];
}

function decisionWords({ decision, target, guard }: PromptDecisions): string {
  if (guard?.refuses === true) return "the guard's message";
  if (target === null) return "no target: the prompt goes to its model";
  if (decision === "default") return `the default target ${target}`;
  return decision === "target" ? target : `${target}, between the thresholds`;
}

/** Returns the request that the target's API would get; no row if there is none. */
export function apiRequestRows({ request }: PromptDecisions): string[][] {
  if (request === undefined) return [];
  const headers = Object.entries(request.headers).map(([name, value]) => ["", `${name}: ${value}`]);
  return [
    ["Request", `${request.method} ${request.url}  (not sent)`],
    ...headers,
    ...(request.body === undefined ? [] : [["", request.body]]),
  ];
}
