// A request as the page shows it: names, numbers and times, never a prompt, a response or a key.
import type { ObservedRequest } from "../history/observed-request.ts";

export type RequestView = ReturnType<typeof viewOf>;

/** Returns the request's members for the page; what is undefined is left out of the JSON. Times are milliseconds. */
export function viewOf(request: ObservedRequest) {
  const { line, model, key, error, cost, firstToken, overhead, provider, rate } = request;
  const { record = { id: "", listener: "" } } = line;
  return {
    number: requestKeyOf(request),
    id: record.id,
    listener: record.listener,
    start: Math.round(line.startTime * 1000),
    status: line.status,
    flags: line.flags.length === 0 ? undefined : line.flags,
    error,
    errorCode: record.error ?? record.code,
    message: record.message,
    contextTokens: record.context_tokens,
    contextLimit: record.context_limit,
    owner: record.owner,
    endpoint: record.endpoint,
    dialect: record.dialect,
    key,
    session: record.session,
    agent: record.agent,
    subagent: record.subagent,
    parent: record.parent,
    purpose: record.purpose,
    isKept: record.affinity === 1 ? true : undefined,
    requested: record.requested,
    model,
    firstTarget: request.firstTarget,
    responseModel: record.response_model,
    fallbacks: record.fallbacks,
    attempts: line.attempts,
    failedAttempts: request.failedAttempts,
    isStream: record.stream === 1,
    input: record.input,
    cached: record.cache_read,
    cacheWrite: record.cache_write,
    output: record.output,
    reasoning: record.reasoning,
    /** Nano-dollars. */
    cost,
    isUnpriced: request.isUnpriced,
    duration: line.duration,
    firstToken: milliseconds(firstToken),
    requestOverhead: milliseconds(line.requestOverhead),
    responseOverhead: milliseconds(line.responseOverhead),
    overhead: milliseconds(overhead),
    provider: milliseconds(provider),
    rate: rate === undefined ? undefined : Number(rate.toPrecision(3)),
    bytesReceived: line.bytesReceived,
    bytesSent: line.bytesSent,
    finish: record.finish,
    dropped: record.dropped,
    promptTarget: record.prompt_target,
    guard: record.guard,
    steps: record.steps,
  };
}

/** Returns a key that identifies a request, also among those that share its request id. */
function requestKeyOf({ line }: ObservedRequest): string {
  return `${line.record?.id ?? ""}/${line.record?.listener ?? ""}/${String(line.startTime)}`;
}

function milliseconds(microseconds: number | undefined): number | undefined {
  return microseconds === undefined ? undefined : Math.round(microseconds) / 1000;
}
