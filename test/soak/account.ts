// What every request of the soak left behind: at the client, at the providers and in the usage logs; and what does not fit.
import type { UsageLine } from "../../control-plane/usage/usage-line.ts";
import type { Booking } from "../providers/scripts/nonce-words.ts";
import type { Gap, SoakGateway, Spent } from "./gateways.ts";
import type { How, Judged, Kind } from "./request.ts";
import { SLOW } from "../providers/scripts/nonce-words.ts";
import { numberOf, PADDED } from "./request.ts";

/** Envoy writes its logs five times a second; this is more than a loaded machine needs. */
const UNWRITTEN_MS = 5_000;
const NANO_PER_TOKEN = 1_000;

export interface Entry {
  gateway: SoakGateway;
  key: string | null;
  kind: Kind;
  from: number;
  /** Infinity: it is in flight. */
  to: number;
  how?: How;
  bookings: Booking[];
  records: number;
  /** Nano-dollars of its record. */
  cost: number;
  /** Of its record: of the input and the output. */
  tokens: readonly [number, number];
  isEstimated: boolean;
}

export interface Check {
  name: string;
  /** What was counted, as a sentence. */
  found: string;
  problems: string[];
}

const isIn = (gaps: readonly Gap[], from: number, to: number) =>
  gaps.some((gap) => from <= gap.to && to >= gap.from);

export class Account {
  readonly #entries = new Map<number, Entry>();
  readonly #foreign: string[] = [];
  readonly problems: string[] = [];
  /** By the fault that was requested, then by what the client got. */
  readonly faults: Record<string, Record<string, number>> = {};
  brokenByKills = 0;
  answered = 0;

  begin(number: number, gateway: SoakGateway, key: string | null, kind: Kind): void {
    this.#entries.set(number, {
      ...{ gateway, key, kind, from: performance.now(), to: Infinity },
      ...{ bookings: [], records: 0, cost: 0, tokens: [0, 0], isEstimated: false },
    });
  }

  end(number: number, { how, status, problem }: Judged): void {
    const entry = this.#entries.get(number);
    if (entry === undefined) throw new Error(`there is no request ${String(number)}`);
    entry.to = performance.now();
    entry.how = how;
    this.answered++;
    if (
      how === "breaks" &&
      problem !== undefined &&
      isIn(entry.gateway.outages, entry.from, entry.to)
    ) {
      this.brokenByKills++;
      return;
    }
    const row = (this.faults[entry.kind.fault ?? "none"] ??= {});
    const outcome = how === "error" ? `error ${String(status)}` : how;
    row[outcome] = (row[outcome] ?? 0) + 1;
    if (problem === undefined) return;
    this.problems.push(`request ${String(number)}, ${JSON.stringify(entry.kind)}: ${problem}`);
  }

  book(booking: Booking): void {
    this.#entries.get(booking.number)?.bookings.push(booking);
  }

  /** @param line undefined: one that cannot be read */
  record(line: UsageLine | undefined): void {
    const number = numberOf(line?.record?.id ?? "");
    if (line === undefined) this.#foreign.push("a line that cannot be read");
    // Probes, and requests that look whether a reload is active, have other ids.
    if (number === undefined || line?.record === undefined) return;
    const entry = this.#entries.get(number);
    if (entry === undefined) {
      this.#foreign.push(`a record of the request ${String(number)}, which was not sent`);
      return;
    }
    const { cost = 0, input = 0, output = 0, estimated } = line.record;
    entry.records++;
    entry.cost += cost;
    entry.tokens = [input, output];
    entry.isEstimated = estimated === 1;
  }

  progress(): string {
    const newest = this.problems.at(-1);
    const problems = newest === undefined ? "" : `, the newest of them: ${newest}`;
    return `${count(this.answered)} requests, ${count(this.problems.length)} problems${problems}`;
  }

  /** Responses without a record, beside those of a gap. */
  unrecorded(): number {
    return this.#whole().filter((entry) => entry.records === 0 && !isLost(entry)).length;
  }

  /** Returns the nano-dollars that Envoy has charged at least for records that were lost in a gap. */
  lostIn(gap: Gap, gateway: SoakGateway): number {
    const own = [...this.#entries.values()].filter((entry) => entry.gateway === gateway);
    return lostOf(own.filter((entry) => isCharged(entry, gap))).least;
  }

  #whole(): Entry[] {
    return [...this.#entries.values()].filter(({ how }) => how === "answer");
  }

  checks(spent: Spent): Check[] {
    return [this.#responses(), this.#records(), this.#tokens(), this.#spend(spent)];
  }

  #responses(): Check {
    const open = [...this.#entries].filter(([, { how }]) => how === undefined);
    const found = `${count(this.answered)} of ${count(this.#entries.size)} requests ended, ${count(this.#whole().length)} with their whole response, the others as their fault requires; ${count(this.brokenByKills)} broke with the process that was killed`;
    const lost = open.map(([number]) => `request ${String(number)} has no end`);
    return { name: "responses", found, problems: [...this.problems, ...lost] };
  }

  #records(): Check {
    const problems = [...this.#foreign];
    let excused = 0;
    for (const [number, entry] of this.#entries) {
      if (entry.records > 1)
        problems.push(`request ${String(number)} has ${String(entry.records)} records`);
      if (entry.records > 0 || entry.how === "left" || entry.how === "breaks") continue;
      if (isLost(entry)) excused++;
      else problems.push(`request ${String(number)} was answered and has no record`);
    }
    const found = `one usage record for each response; ${count(excused)} were lost with Envoy or with the full disk`;
    return { name: "records", found, problems };
  }

  #tokens(): Check {
    const problems: string[] = [];
    let compared = 0;
    for (const [number, entry] of this.#entries) {
      const most = Math.max(0, ...entry.bookings.map(costOf));
      if (entry.cost > most && entry.kind.fault !== PADDED)
        problems.push(
          `request ${String(number)} cost ${String(entry.cost)} instead of ${String(most)}`,
        );
      if (entry.kind.place === "healthy" && entry.bookings.length > 1)
        problems.push(`request ${String(number)} was sent to its provider again`);
      if (entry.how !== "answer" || entry.records === 0 || entry.isEstimated) continue;
      compared++;
      const [input, output] = entry.tokens;
      const isBooked = entry.bookings.some((one) => one.input === input && one.output === output);
      if (!isBooked)
        problems.push(
          `request ${String(number)}, ${JSON.stringify(entry.kind)}: ${entry.tokens.join(" and ")} tokens, booked ${JSON.stringify(entry.bookings)}`,
        );
    }
    const found = `the tokens of ${count(compared)} records are those that a provider has reported for the request`;
    return { name: "tokens", found, problems };
  }

  /**
   * What was spent, with each key, is what the records cost, and what was lost with a full disk: at least what the providers have
   * booked for responses without a record, and at most what they have booked for all requests without one.
   */
  #spend({ spend, budgets }: Spent): Check {
    const problems: string[] = [];
    const entries = [...this.#entries.values()];
    const recorded = sum(entries.map(({ cost }) => cost));
    const total = sum(spend.map(({ costUsd }) => nano(costUsd)));
    const keys = new Set(entries.map((entry) => entry.key));
    for (const [name, key] of [
      ["all", undefined] as const,
      ...[...keys].map((one) => [one ?? "no key", one] as const),
    ]) {
      const own = key === undefined ? entries : entries.filter((entry) => entry.key === key);
      const rows = key === undefined ? spend : spend.filter((row) => row.key === key);
      const spent = sum(rows.map(({ costUsd }) => nano(costUsd)));
      const { least, most } = lostOf(own);
      const cost = sum(own.map((entry) => entry.cost));
      if (spent >= cost + least && spent <= cost + most) continue;
      problems.push(
        `${name}: spent ${usd(spent)}, recorded ${usd(cost)}, lost ${usd(least)} to ${usd(most)}`,
      );
    }
    for (const key of keys) {
      const counted = sum(spend.filter((row) => row.key === key).map(({ requests }) => requests));
      const charged = entries.filter((entry) => entry.key === key && entry.cost > 0).length;
      // Also requests that cost nothing are rows.
      if (counted < charged)
        problems.push(
          `${key ?? "no key"}: ${count(counted)} requests instead of ${count(charged)}`,
        );
    }
    const ofAll = nano(
      budgets.find(({ budget }) => budget.endsWith("all requests"))?.spentUsd ?? 0,
    );
    if (ofAll !== total)
      problems.push(`the budget of all requests has ${usd(ofAll)} of ${usd(total)}`);
    const found = `${usd(total)} spent at both gateways, ${usd(recorded)} in records, ${usd(total - recorded)} of records that were lost, at least ${usd(lostOf(entries).least)} of them with the full disk`;
    return { name: "spend", found, problems };
  }
}

/** Whether its record may be lost, with Envoy or with the disk. */
function isLost({ gateway, to }: Entry): boolean {
  return gateway.gaps.some((gap) => isWithin(to, gap));
}

/** Nano-dollars of requests without a record. */
function lostOf(entries: readonly Entry[]): { least: number; most: number } {
  const without = entries.filter(({ records }) => records === 0);
  const charged = without.filter((entry) =>
    entry.gateway.gaps.some((gap) => gap.isCharged === true && isCharged(entry, gap)),
  );
  const isUnknown = without.some(({ kind }) => kind.fault === PADDED);
  return {
    least: sum(charged.map(({ bookings }) => Math.min(...bookings.map(costOf)))),
    most: isUnknown
      ? Infinity
      : sum(without.map(({ bookings }) => Math.max(0, ...bookings.map(costOf)))),
  };
}

/** Whether Envoy has charged what the provider has booked, and the record was lost in this gap. */
function isCharged({ kind, how, records, bookings, to }: Entry, gap: Gap): boolean {
  const isWhole = how === "answer" && records === 0 && bookings.length > 0;
  const isHealthy = kind.fault === undefined || kind.fault === SLOW;
  return isWhole && isHealthy && isWithin(to, gap);
}

const isWithin = (to: number, gap: Gap) => to >= gap.from - UNWRITTEN_MS && to <= gap.to;

const costOf = ({ input, output }: Booking) => (input + output) * NANO_PER_TOKEN;
const nano = (amount: number) => Math.round(amount * 1e9);
const usd = (amount: number) => `$${(amount / 1e9).toFixed(6)}`;
const count = (value: number) => value.toLocaleString("en-US");
const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0);
