// Replicas of a model with queues, in virtual time: requests come at random times, each replica works on some of them at once, and
// the others wait.
import type { FilterHost } from "../../control-plane/wasm-host/filter-host.ts";
import type {
  ExchangeInput,
  ExchangeResult,
  Wait,
} from "../../control-plane/wasm-host/wasm-exchange.ts";
import { inputOf } from "./affinity-gateway.ts";

/** The time of all gateways of a test. Milliseconds since the epoch. */
export class Clock {
  time = Date.UTC(2026, 10, 28);
  readonly now = (): number => this.time;
}

export interface Replica {
  /** Requests that it works on at once. */
  slots: number;
  /** Returns the milliseconds of a request until its first token, and from there to its end. */
  times: (at: number) => { first: number; rest: number };
}

/** One request of a simulation, and what became of it. */
export interface Visit {
  at: number;
  session: string | undefined;
  /** Index of the replica. */
  replica: number;
  milliseconds: number;
}

interface Event {
  at: number;
  run: () => void;
}

const BEGIN = 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"}}]}\n\n';
const END =
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}}\n\ndata: [DONE]\n\n';

export interface Simulation {
  gateways: readonly FilterHost[];
  clock: Clock;
  replicas: readonly Replica[];
  /** Times of the requests, in milliseconds from now, in order, with their sessions. */
  arrivals: readonly { at: number; session?: string }[];
}

/** Runs all requests, each at the next gateway in turn, until the last response is over. */
export function simulate({ gateways, clock, replicas, arrivals }: Simulation): Visit[] {
  const start = clock.time;
  const events: Event[] = [];
  const after = (milliseconds: number, run: () => void): void => {
    const event = { at: clock.time + milliseconds, run };
    let index = events.length;
    while (index > 0 && (events[index - 1]?.at ?? 0) > event.at) index--;
    events.splice(index, 0, event);
  };
  const waiting = replicas.map((): (() => void)[] => []);
  const busy = replicas.map(() => 0);
  const visits: Visit[] = [];

  const leave = (replica: number): void => {
    const next = waiting[replica]?.shift();
    if (next === undefined) busy[replica] = (busy[replica] ?? 0) - 1;
    else next();
  };
  const enter = (replica: number, work: () => void): void => {
    if ((busy[replica] ?? 0) >= (replicas[replica]?.slots ?? 0)) waiting[replica]?.push(work);
    else {
      busy[replica] = (busy[replica] ?? 0) + 1;
      work();
    }
  };

  const arrive = (index: number): void => {
    const next = arrivals[index + 1];
    if (next !== undefined)
      after(next.at - (arrivals[index]?.at ?? 0), () => {
        arrive(index + 1);
      });
    const { session } = arrivals[index] ?? {};
    const began = clock.time;
    let replica = -1;
    const run = startOf(gateways[index % gateways.length], session, (authority) => {
      replica = Number(/\d+/.exec(authority)?.[0]);
    });
    while (replica < 0) if (run.next().done === true) throw new Error("no replica got the request");
    const at = replica;
    enter(at, () => {
      const { first, rest } = replicas[at]?.times(clock.time - start) ?? { first: 0, rest: 0 };
      after(first, () => {
        run.next();
      });
      after(first + rest, () => {
        finish(run);
        const milliseconds = clock.time - began;
        visits.push({ at: began - start, session, replica: at, milliseconds });
        leave(at);
      });
    });
  };

  arrive(0);
  for (let event = events.shift(); event !== undefined; event = events.shift()) {
    clock.time = event.at;
    event.run();
  }
  return visits;
}

function startOf(
  gateway: FilterHost | undefined,
  session: string | undefined,
  onSent: (authority: string) => void,
): Generator<Wait, ExchangeResult> {
  if (gateway === undefined) throw new Error("no gateway");
  const body = { model: "shared", stream: true, messages: [{ role: "user", content: "Hi" }] };
  const input: ExchangeInput = {
    ...inputOf(body, session === undefined ? [] : [["x-session-id", session]]),
    upstream: (request) => {
      onSent(request.authority);
      return {
        status: 200,
        headers: [["content-type", "text/event-stream"]],
        chunks: [Buffer.from(BEGIN), Buffer.from(END)],
      };
    },
  };
  return gateway.start(input);
}

function finish(run: Generator<Wait, ExchangeResult>): void {
  for (;;) {
    const step = run.next();
    if (step.done !== true) continue;
    const { faults, response } = step.value;
    if (faults.length > 0 || response.status !== 200) throw new Error(faults.join("; "));
    return;
  }
}

/** Returns random numbers between 0 and 1, the same in each run. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns random times with a mean, as of requests that do not depend on each other. */
export const exponential = (random: () => number, mean: number): number =>
  -Math.log(1 - random()) * mean;

export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
