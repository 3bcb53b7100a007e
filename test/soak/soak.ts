// Two gateways with a Redis and three providers under mixed traffic, while faults happen and parts are killed: what is lost, mixed
// up, charged twice, or grows.
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { followLines, LOG_START } from "../../control-plane/log-files/log-files.ts";
import { VERSION } from "../../control-plane/supervisor/package-version.ts";
import { readWhole } from "../../control-plane/usage/usage-line.ts";
import { accessLogFile, USAGE_LOG } from "../../model/names.ts";
import { hasSmallDisks, removeDisk, smallDisk } from "../cli/small-disk.ts";
import { random } from "../exchanges/random.ts";
import type { Random } from "../exchanges/random.ts";
import { startRedis } from "../gateway/redis.ts";
import type { Booking, Ports, ProviderReport } from "../providers/scripts/nonce-words.ts";
import { Account, type Check } from "./account.ts";
import { openClock } from "./clock.ts";
import { DISTURBANCES, type World } from "./disturbances.ts";
import { KEYS, openSoakGateway, type SoakGateway, type Spent } from "./gateways.ts";
import { ends, Growth } from "./growth.ts";
import { judge, kindOf, MAX_OPEN, send } from "./request.ts";
import { until } from "./until.ts";

export interface SoakOptions {
  seconds: number;
  perSecond: number;
  seed: number;
  /** A part of the name of the disturbances that happen; all if it is absent. */
  only?: string | undefined;
  /** Called with one line for each disturbance and each part of the rest. */
  onProgress?: (line: string) => void;
}

export interface SoakReport {
  /** YYYY-MM-DD. */
  date: string;
  version: string;
  /** Of the machine, which may do other things. */
  processors: number;
  load: number;
  seconds: number;
  perSecond: number;
  seed: number;
  /** Requests that could not be sent at their time, because the machine was too slow for the rate. */
  late: number;
  requests: number;
  checks: Check[];
  disturbances: { name: string; times: number; missing?: string }[];
  /** By the fault that a provider was told to have, then by what clients got. */
  faults: Record<string, Record<string, number>>;
  growth: { name: string; unit: string; first: number; last: number; allowed: number }[];
}

/** Requests that end between two steps of a disturbance. */
const MEANWHILE = 200;
/** What a gateway with rotated logs needs, several times. */
const DISK_MIB = 24;
/** Samples of memory, descriptors and disk, in the second half of the run. */
const SAMPLES = 12;
/** Between two samples, if the first third of the samples is to hold no configuration of before. */
const SETTLED_SECONDS = 10;
/** A reload of each gateway after so many samples. */
const SAMPLES_PER_RELOAD = 4;

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const top = mkdtempSync(join(tmpdir(), "gateway-soak-"));
  const undo: (() => unknown)[] = [
    () => {
      rmSync(top, { recursive: true });
    },
  ];
  try {
    return await run(options, top, (step) => undo.unshift(step));
  } finally {
    for (const step of undo) await step();
  }
}

async function run(
  options: SoakOptions,
  top: string,
  atEnd: (step: () => unknown) => void,
): Promise<SoakReport> {
  const say = options.onProgress ?? (() => undefined);
  const account = new Account();
  const providers = await startProviders((booking) => {
    account.book(booking);
  });
  atEnd(providers.stop);
  const redis = await startRedis({ user: "gateway", password: "a-password" });
  atEnd(redis.stop);
  const clock = openClock(top);
  if ("move" in clock) atEnd(clock.close);
  const disk = hasSmallDisks ? smallDisk(DISK_MIB) : undefined;
  if (disk !== undefined)
    atEnd(() => {
      removeDisk(disk);
    });
  const shared = { providers: providers.ports, redisUrl: redis.url };
  const first = await openSoakGateway({ ...shared, disk, hasPrompts: true });
  atEnd(first.close);
  const movable = "move" in clock ? clock : undefined;
  const second = await openSoakGateway({ ...shared, clock: movable, hasPrompts: false });
  atEnd(second.close);
  const gateways = [first, second] as const;
  await Promise.all(gateways.map((gateway) => gateway.up()));

  const reading = new AbortController();
  const readers = gateways.map(({ logDirectory }) =>
    followLines(join(logDirectory, accessLogFile(USAGE_LOG)), LOG_START, {
      onLine: (line) => {
        account.record(readWhole(line).line);
      },
      signal: reading.signal,
    }),
  );
  atEnd(() => {
    reading.abort();
    return Promise.all(readers);
  });

  const traffic = startTraffic(options, gateways, account);
  const world: World = {
    ...{ first, second, redis, clock, disk },
    meanwhile: () => traffic.more(MEANWHILE),
    lostIn: (gap, gateway) => account.lostIn(gap, gateway),
    reload: (gateway) => reload(gateway, account),
  };
  const begun = performance.now();
  const elapsed = () => (performance.now() - begun) / 1000;
  const counts = new Map<string, number>();
  const disturbances = DISTURBANCES.filter(({ name }) => name.includes(options.only ?? ""));
  // Each disturbance at least once, then as often as half of the time allows.
  do {
    for (const { name, missing, run: disturb } of disturbances) {
      if (missing?.(world) === undefined) {
        await disturb(world).catch((error: unknown) => {
          account.problems.push(`${name}: ${String(error)}`);
        });
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      say(
        `${elapsed().toFixed(0)} s: ${missing?.(world) ?? "over"}: ${name}; ${account.progress()}`,
      );
    }
  } while (elapsed() < options.seconds / 2);

  const step = Math.max(0, options.seconds - elapsed()) / SAMPLES;
  const growth = new Growth(step < SETTLED_SECONDS ? SAMPLES / SAMPLES_PER_RELOAD : 0);
  for (let at = 1; at <= SAMPLES; at++) {
    if (at % SAMPLES_PER_RELOAD === 1) for (const gateway of gateways) await world.reload(gateway);
    await traffic.more(1);
    await pause(step * 1000);
    await growth.sample("first gateway", first);
    await growth.sample("second gateway", second);
    say(`${elapsed().toFixed(0)} s: sample ${String(at)}; ${account.progress()}`);
  }
  await traffic.stop();
  await until(() => account.unrecorded() === 0, "each response has its record").catch(
    () => undefined,
  );
  const [load = 0] = loadavg();
  return {
    ...{ date: new Date().toISOString().slice(0, 10), version: VERSION },
    ...{ processors: availableParallelism(), load },
    ...{ seconds: Math.round(elapsed()), perSecond: options.perSecond, seed: options.seed },
    late: traffic.late(),
    requests: account.answered,
    checks: [
      ...account.checks(await settledSpend(gateways)),
      {
        name: "growth",
        found: "memory, descriptors and disk of both gateways do not grow in the second half",
        problems: growth.problems(),
      },
    ],
    disturbances: disturbances.map(({ name, missing }) => {
      const reason = missing?.(world);
      const times = counts.get(name) ?? 0;
      return reason === undefined ? { name, times } : { name, times, missing: reason };
    }),
    faults: account.faults,
    growth: growth.series.map((one) => ({
      ...{ name: one.name, unit: one.unit, allowed: one.allowed },
      ...ends(one),
    })),
  };
}

interface Providers {
  ports: Ports;
  stop: () => void;
}

async function startProviders(onBooking: (booking: Booking) => void): Promise<Providers> {
  const child = fork(join(import.meta.dirname, "../providers/scripts/nonce-process.ts"), {
    stdio: "inherit",
  });
  const ports = await new Promise<Ports>((resolve, reject) => {
    child.once("error", reject);
    child.on("message", (report: ProviderReport) => {
      if ("ports" in report) resolve(report.ports);
      else onBooking(report);
    });
  });
  return {
    ports,
    stop: () => {
      child.disconnect();
    },
  };
}

interface Traffic {
  /** Waits until so many more requests have ended. */
  more: (requests: number) => Promise<void>;
  late: () => number;
  /** Waits until all have ended. */
  stop: () => Promise<void>;
}

function startTraffic(
  { perSecond, seed }: SoakOptions,
  gateways: readonly SoakGateway[],
  account: Account,
): Traffic {
  const chance = random(seed);
  const open = new Set<Promise<void>>();
  let isOver = false;
  let late = 0;
  let number = 0;
  const sendOne = (): void => {
    const up = gateways.filter(({ isUp }) => isUp);
    if (open.size >= MAX_OPEN || up.length === 0) {
      late++;
      return;
    }
    number++;
    const asked = exchange(number, chance, up, account).finally(() => open.delete(asked));
    open.add(asked);
  };
  const drive = async (): Promise<void> => {
    const begin = performance.now();
    let due = 0;
    do {
      await pause(2);
      for (; due < ((performance.now() - begin) / 1000) * perSecond; due++) sendOne();
    } while (!isOver);
    await Promise.all(open);
  };
  const driving = drive();
  return {
    more(requests) {
      const end = account.answered + requests;
      return until(() => account.answered >= end, "requests go on");
    },
    late: () => late,
    async stop() {
      isOver = true;
      await driving;
    },
  };
}

async function exchange(
  number: number,
  chance: Random,
  up: readonly SoakGateway[],
  account: Account,
): Promise<void> {
  const kind = kindOf(chance);
  const prompting = kind.isPrompt ? up.find(({ hasPrompts }) => hasPrompts) : undefined;
  const gateway = prompting ?? chance.of(up);
  const isPrompt = prompting !== undefined;
  const name = chance.of(KEYS);
  const sent = { ...kind, isPrompt };
  account.begin(number, gateway, isPrompt ? null : name, sent);
  const seen = await send(gateway.destination(name, isPrompt), sent, number);
  account.end(number, judge(sent, number, seen));
}

/** A new connection is served by the newest generation. */
async function reload(gateway: SoakGateway, account: Account): Promise<void> {
  gateway.write(++gateway.generation);
  const { code, stderr } = await gateway.desk.run("reload");
  if (code !== 0) account.problems.push(`a reload failed: ${stderr}`);
  await until(() => gateway.hasGeneration(), "a reload is active");
}

/** What both gateways say alike, when neither Redis nor a log has more for them. */
async function settledSpend(gateways: readonly SoakGateway[]) {
  const read = async () => JSON.stringify(await Promise.all(gateways.map((one) => one.spent())));
  let before = await read();
  let same = 0;
  await until(async () => {
    const now = await read();
    same = now === before ? same + 1 : 0;
    before = now;
    const [one, other] = JSON.parse(now) as Spent[];
    return same >= 2 && JSON.stringify(one?.budgets) === JSON.stringify(other?.budgets);
  }, "both gateways know the same spend").catch(() => undefined);
  const [spent] = JSON.parse(before) as Spent[];
  if (spent === undefined) throw new Error("there is no gateway");
  return spent;
}
