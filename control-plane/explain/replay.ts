// What a new configuration changes for requests that were captured: each is explained under both.
import type { CapturedRequest } from "./captured-request.ts";
import type { ExplainedAttempt, Explainer, Explanation } from "./explain.ts";

export interface Replay {
  /** Requests that were compared. */
  requests: number;
  unchanged: number;
  /** Requests whose body is not complete in the log, or that a model server would have to decide about. */
  skipped: number;
  /** Equal changes together, the most frequent first. */
  changes: Change[];
}

interface Change {
  /** What is different, a sentence each. */
  differences: string[];
  requests: number;
  /** Ids of the first requests. */
  examples: string[];
}

/** The old and the new configuration. */
export interface Compared {
  before: Explainer;
  after: Explainer;
}

const MAX_EXAMPLES = 3;

export async function replay(
  requests: Iterable<CapturedRequest>,
  { before, after }: Compared,
): Promise<Replay> {
  const result: Replay = { requests: 0, unchanged: 0, skipped: 0, changes: [] };
  const changes = new Map<string, Change>();
  for (const request of requests) {
    if (request.isCut || before.needsModelServer(request) || after.needsModelServer(request)) {
      result.skipped++;
      continue;
    }
    result.requests++;
    const found = differences(await before.explain(request), await after.explain(request));
    if (found.length === 0) {
      result.unchanged++;
      continue;
    }
    const key = found.join("\n");
    const change = changes.get(key) ?? { differences: found, requests: 0, examples: [] };
    changes.set(key, change);
    change.requests++;
    if (change.examples.length < MAX_EXAMPLES) change.examples.push(request.id);
  }
  result.changes = [...changes.values()].sort((one, other) => other.requests - one.requests);
  return result;
}

/** Returns what is different, nothing for the same. */
function differences(before: Explanation, after: Explanation): string[] {
  const [old, fresh] = [outcomeOf(before), outcomeOf(after)];
  if (old !== fresh) return [`${old} becomes ${fresh}`];
  if (before.response?.body !== after.response?.body)
    return ["the gateway's response is different"];
  return before.attempts.flatMap((attempt, index) => {
    const other = after.attempts[index];
    const parts = other === undefined ? [] : changedParts(attempt, other);
    return parts.length === 0
      ? []
      : [`attempt ${String(index + 1)} at ${attempt.target}: ${parts.join(", ")}`];
  });
}

/** `openai/gpt-4o, then anthropic/claude-sonnet-4-5`, or the gateway's own response. */
function outcomeOf({ attempts, response }: Explanation): string {
  if (response !== undefined) return `response ${String(response.status)}`;
  return attempts.map(({ target }) => target).join(", then ");
}

function changedParts(before: ExplainedAttempt, after: ExplainedAttempt): string[] {
  const headers = changedHeaders(before, after);
  return [
    ...(before.url === after.url ? [] : [`URL ${before.url} becomes ${after.url}`]),
    ...(before.dialect === after.dialect ? [] : [`${before.dialect} becomes ${after.dialect}`]),
    ...(headers.length === 0 ? [] : [`headers ${headers.join(", ")}`]),
    ...(before.body === after.body ? [] : ["body"]),
    ...(dropped(before) === dropped(after)
      ? []
      : [`dropped ${dropped(before)} becomes ${dropped(after)}`]),
  ];
}

/** Returns the names of headers that are different; the length is that of the body. */
function changedHeaders(before: ExplainedAttempt, after: ExplainedAttempt): string[] {
  const [old, fresh] = [new Map(before.headers), new Map(after.headers)];
  const names = new Set([...old.keys(), ...fresh.keys()]);
  names.delete("content-length");
  return [...names].filter((name) => old.get(name) !== fresh.get(name)).sort();
}

function dropped({ dropped: members }: ExplainedAttempt): string {
  return members.length === 0 ? "nothing" : members.map(({ member }) => member).join(", ");
}
