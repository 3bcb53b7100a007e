// What was spent, and the limits that follow from it: has the usage log followed, and keeps the filter's table of budgets up to date. It is beside the path of requests: the filter charges and rejects by itself.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { budgetId, NANO_PER_DOLLAR } from "../../model/budgets.ts";
import type { Budget } from "../../model/budgets.ts";
import type { BudgetGauge } from "../observability/envoy-stats.ts";
import { knownModels } from "../../model/known-models.ts";
import type { KnownModels } from "../../model/known-models.ts";
import { accessLogFile, USAGE_LOG } from "../../model/names.ts";
import type { GatewayModel, Redis } from "../../model/model.ts";
import { priceFinder } from "../usage/record-cost.ts";
import { dayOf } from "./cell.ts";
import type { RecordRules } from "./cell.ts";
import { EnvoyKeyLimits } from "./envoy-key-limits.ts";
import { EnvoyLimits } from "./envoy-limits.ts";
import { KeyTallies } from "./key-tallies.ts";
import { Ledger } from "./ledger.ts";
import type { Grant } from "./limits.ts";
import { cellsOfLost, subjectsOfLost } from "./lost-records.ts";
import type { Usage } from "../usage/usage-follower.ts";
import { redisProblem } from "./redis/redis-connection.ts";
import { redisUrl } from "./redis/url.ts";
import { CONSEQUENCES, Sharing } from "./sharing.ts";
import { type Tally, Tallies } from "./tallies.ts";

/** Envoy writes its logs five times a second: a record that is not there after so long is lost. */
const LOST_MS = 5_000;
/** How long a reload waits for the Envoys to have new limits. */
const PUSH_MS = 5_000;
/** Code of the error of a request for whose budget this gateway has no grant at the moment, and of one over a rate limit. */
const NOTHING_LEFT = "rate_limit_exceeded";
/** A timer cannot be longer than 24 days; the clock may be set. */
const MAX_TIMER_MS = 60_000;

export interface SpendingGateway {
  model: GatewayModel;
  /** Directory of the access logs. */
  logDirectory: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Certificate authorities in PEM; absent: those of Node. */
  authorities?: string;
}

export interface SpendOptions {
  /** Fills the ledger. */
  usage: Usage;
  report: (line: string, level?: "warning") => void;
  /** Called when `missing` or `note` has changed. */
  onReadiness: () => void;
  /** Milliseconds since 1970; the machine's clock if not set. */
  now?: () => number;
  /** Milliseconds after which a record that is not in the log is lost. */
  lostMs?: number;
}

/** Where gateways share. */
interface Sharer {
  /** Equal plans need no new connection. */
  plan: string;
  settings: Redis;
  url: string;
  authorities: string | undefined;
}

export class Spend {
  readonly #options: Required<SpendOptions>;
  readonly #tallies: Tallies;
  readonly #ledger: Ledger;
  #model: GatewayModel | undefined;
  #models: KnownModels | undefined;
  /** Set when the first record without a cost needs it. */
  #priceOf: RecordRules["priceOf"];
  #redis: Sharer | undefined;
  #shared: { gateway: string; sharing: Sharing } | undefined;
  #starting: Promise<void> = Promise.resolve();
  #recovery: Promise<void> = Promise.resolve();
  #envoys: { socket: string; limits: EnvoyLimits; ofKeys: EnvoyKeyLimits }[] = [];
  readonly #keyTallies: KeyTallies;
  /** Budgets of keys, groups and users that come at run time. */
  #runTime: readonly Budget[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SpendOptions) {
    this.#options = { now: Date.now, lostMs: LOST_MS, ...options };
    this.#ledger = this.#newLedger();
    this.#tallies = new Tallies(this.#ledger, this.#options.now);
    this.#keyTallies = new KeyTallies(
      {
        all: (time) => this.#ledger.spentBySubject(time),
        one: (time, subject) => this.#ledger.spentOfSubject(time, subject),
      },
      this.#options.now,
    );
  }

  /**
   * Activates a configuration, and resolves when the running Envoys have its limits.
   * @param also budgets of a configuration that is still, or will be, used beside it
   */
  async use(gateway: SpendingGateway, also: readonly Budget[] = []): Promise<void> {
    this.#model = gateway.model;
    this.#models = knownModels(gateway.model);
    this.#priceOf = undefined;
    const { usage } = this.#options;
    usage.attach(this.#ledger);
    usage.follow(join(gateway.logDirectory, accessLogFile(USAGE_LOG)));
    this.#tallies.reread();
    this.#tallies.use([...also, ...(gateway.model.budgets ?? [])]);
    this.#keyTallies.reread();
    this.#useKeyBudgets();
    await this.#useRedis(gateway);
    await this.#refresh();
  }

  /** Sets the budgets of keys, groups and users that come at run time. Resolves when the running Envoys have their limits. */
  async useRuntime(budgets: readonly Budget[]): Promise<void> {
    this.#runTime = budgets;
    this.#useKeyBudgets();
    await this.#refresh();
  }

  /** Gives a starting Envoy its limits. Resolves when it has them. */
  async attach(socket: string): Promise<void> {
    this.detach(socket);
    const limits = new EnvoyLimits({
      socket,
      tallies: () => this.#tallies.current(),
      grantOf: (tally) => this.#grantOf(tally),
      catchUp: () => this.#catchUp(),
      report: this.#options.report,
      lostMs: this.#options.lostMs,
      watchRecords: () => this.#ledger.watchRecords(),
      now: this.#options.now,
    });
    const ofKeys = new EnvoyKeyLimits({
      socket,
      tallies: () => this.#keyTallies.current(),
      catchUp: () => this.#options.usage.catchUp(this.#ledger),
      lostMs: this.#options.lostMs,
      watchRecords: () => this.#ledger.watchRecords(),
      now: this.#options.now,
      report: this.#options.report,
    });
    this.#envoys.push({ socket, limits, ofKeys });
    await limits.first;
    await ofKeys.push();
  }

  /** Ends the updates of an Envoy. */
  detach(socket: string): void {
    for (const envoy of this.#envoys) if (envoy.socket === socket) closeEnvoy(envoy);
    this.#envoys = this.#envoys.filter(({ socket: own }) => own !== socket);
  }

  /** Counts for the remaining Envoys what others have charged until their exit. */
  async settle(): Promise<void> {
    await this.#options.usage.settle();
    for (const { limits } of this.#envoys) limits.lower();
  }

  /** Adds what Envoy has charged while no record could be written. Called when they are written again. */
  addLost(): Promise<void> {
    this.#recovery = this.#recovery.then(() => this.#addLost()).catch(() => undefined);
    return this.#recovery;
  }

  /** Adds what was spent with keys at another gateway; it counts as of today. Returns whether it is stored. */
  addImported(spent: readonly { key: string; cost: number }[]): boolean {
    const day = dayOf(this.#options.now());
    return this.#ledger.addLost(
      spent.map(({ key, cost }) => ({
        ...{ day, key, target: "", cost, estimated: cost },
        ...{ requests: 0, unpriced: 0, input: 0, output: 0 },
      })),
    );
  }

  /** Why requests with a budget are, or will soon be, rejected; undefined if they are not. */
  get missing(): string | undefined {
    return this.#redis?.settings.onFailure === "deny" ? this.#problem : undefined;
  }

  /** What is not as it should be, although no request is rejected for it. */
  get note(): string | undefined {
    return this.#redis?.settings.onFailure === "allow" ? this.#problem : undefined;
  }

  /** Returns what was spent on each budget of keys, groups and users, by this gateway. */
  keyGauges(): BudgetGauge[] {
    return this.#keyTallies.current().map((tally) => gaugeOf(tally, tally.spent));
  }

  /** Returns those of them that have changed since the last call. */
  changedKeyGauges(): BudgetGauge[] {
    return this.#keyTallies.takeChanged().map((tally) => gaugeOf(tally, tally.spent));
  }

  hasBudget(name: string): boolean {
    return (
      this.#keyTallies.has(name) ||
      this.#tallies.current().some(({ budget }) => budgetId(budget) === name)
    );
  }

  /** Returns what was spent on each budget, by all gateways that share it. */
  gauges(): BudgetGauge[] {
    return this.#tallies
      .current()
      .map((tally) => gaugeOf(tally, this.#shared?.sharing.budgets.spentOf(tally) ?? tally.spent));
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    for (const envoy of this.#envoys) closeEnvoy(envoy);
    await this.settle();
    await this.#options.usage.catchUp(this.#ledger).catch(() => undefined);
    await this.#endSharing();
    await this.#options.usage.detach(this.#ledger);
  }

  get #problem(): string | undefined {
    const { settings } = this.#redis ?? {};
    const problem = this.#shared?.sharing.problem;
    if (settings === undefined || problem === undefined) return undefined;
    return `${problem}: ${CONSEQUENCES[settings.onFailure]}.`;
  }

  /** Of several Envoys it is not known whose records are lost: their tables count them until they exit. */
  async #addLost(): Promise<void> {
    const [envoy, ...others] = this.#envoys;
    const { report, now, usage } = this.#options;
    if (envoy === undefined || others.length > 0 || usage.isDraining) return;
    const [byBudget, ofKeys] = await Promise.all([envoy.limits.lost(), envoy.ofKeys.lost()]);
    const lost = [
      ...this.#tallies.current().map(({ id, budget }) => ({ budget, cost: byBudget.get(id) ?? 0 })),
      ...ofKeys,
    ];
    const cells = cellsOfLost(lost, dayOf(now()));
    if (cells.length === 0) return;
    this.#ledger.addLost(cells, subjectsOfLost(lost, dayOf(now())));
    const cost = cells.reduce((sum, one) => sum + one.cost, 0) / NANO_PER_DOLLAR;
    const shown = cost.toFixed(9).replace(/\.?0+$/, "");
    report(
      `Records of requests for ${shown} USD were lost; their cost is added to the budgets.`,
      "warning",
    );
  }

  /** Returns what may be spent of a budget; undefined: all of it. */
  #grantOf(tally: Tally): Grant | undefined {
    if (this.#redis === undefined) return undefined;
    return this.#shared?.sharing.budgets.grantOf(tally) ?? { granted: 0, isPartial: true };
  }

  /** Resolves when an Envoy may get its first limits. */
  async #catchUp(): Promise<void> {
    await this.#options.usage.catchUp(this.#ledger);
    if (this.#redis === undefined) return;
    await this.#share();
    if (this.#shared === undefined) throw new Error("the ledger is not open");
    await this.#shared.sharing.budgets.begin();
  }

  /** Those of the groups and users of the configuration, and those of run time. */
  #useKeyBudgets(): void {
    const { groups = [], users = [] } = this.#model ?? {};
    const ofGroups = groups.flatMap(({ name, budgets = [] }) =>
      budgets.map((budget): Budget => ({ ...budget, subject: { group: name } })),
    );
    const ofUsers = users.flatMap(({ name, budgets = [] }) =>
      budgets.map((budget): Budget => ({ ...budget, subject: { user: name } })),
    );
    this.#keyTallies.use([...this.#runTime, ...ofGroups, ...ofUsers]);
  }

  #newLedger(): Ledger {
    const { usage } = this.#options;
    return new Ledger({
      usage,
      rules: {
        nameOf: (target, requested) => this.#models?.nameOf(target, requested) ?? target,
        priceOf: (record) => {
          if (this.#model !== undefined) this.#priceOf ??= priceFinder(this.#model);
          return this.#priceOf?.(record);
        },
      },
      startsAtEnd: () => this.#model?.redis !== undefined,
      onSpend: (cells, subjects) => {
        this.#tallies.add(cells);
        this.#keyTallies.add(cells, subjects);
        this.#shared?.sharing.add(cells);
      },
      onRecord: (record) => {
        if (record.error === NOTHING_LEFT) this.#shared?.sharing.demand(record);
      },
      onOpen: (isReread) => {
        this.#tallies.reread();
        this.#keyTallies.reread();
        this.#share().catch((error: unknown) => {
          this.#options.report(`Redis cannot be used (${redisProblem(error)}).`, "warning");
        });
        if (isReread)
          for (const { limits, ofKeys } of this.#envoys) {
            limits.resync();
            ofKeys.resync();
          }
        else void this.addLost();
      },
    });
  }

  async #useRedis({ model: { redis }, environment, authorities }: SpendingGateway): Promise<void> {
    const url = redis === undefined ? undefined : redisUrl(redis, environment);
    const plan = JSON.stringify([redis, url]);
    if (this.#redis?.plan === plan) return;
    await this.#endSharing();
    if (redis === undefined || url === undefined) return;
    this.#redis = { plan, settings: redis, url, authorities };
    await this.#share();
  }

  /** Starts to share as soon as the ledger has an id, and again if a new ledger has another one. */
  #share(): Promise<void> {
    const start = async () => {
      const gateway = this.#ledger.id;
      if (this.#redis === undefined || gateway === undefined) return;
      if (this.#shared?.gateway === gateway) return;
      await this.#shared?.sharing.close();
      const { settings, url, authorities } = this.#redis;
      const sharing = await Sharing.start({
        settings,
        url,
        authorities,
        gateway,
        tallies: () => this.#tallies.current(),
        cellsSince: (time, before) => this.#ledger.cellsSince(time, before),
        cell: (of) => this.#ledger.cell(of),
        envoy: () => this.#envoys.findLast(({ limits }) => limits.isOpen)?.limits,
        now: this.#options.now,
        report: this.#options.report,
        onProblem: this.#options.onReadiness,
      });
      this.#shared = { gateway, sharing };
    };
    this.#starting = this.#starting.catch(() => undefined).then(start);
    return this.#starting;
  }

  async #endSharing(): Promise<void> {
    await this.#starting.catch(() => undefined);
    const shared = this.#shared;
    this.#redis = undefined;
    this.#shared = undefined;
    await shared?.sharing.close();
  }

  /** Pushes what has changed, now and when the next period ends. */
  async #refresh(): Promise<void> {
    clearTimeout(this.#timer);
    const tallies = [...this.#tallies.current(), ...this.#keyTallies.current()];
    const end = tallies.reduce((first, { period }) => Math.min(first, period.end), Infinity);
    const wait = end - this.#options.now();
    this.#timer = setTimeout(() => void this.#refresh(), Math.min(Math.max(wait, 1), MAX_TIMER_MS));
    this.#timer.unref();
    const pushed = async () => {
      await this.#shared?.sharing.budgets.sync();
      await Promise.all(
        this.#envoys.flatMap(({ limits, ofKeys }) => [limits.push(), ofKeys.push()]),
      );
    };
    // An Envoy that stands still gets its limits later.
    await Promise.race([pushed(), sleep(PUSH_MS, undefined, { ref: false })]);
  }
}

function gaugeOf({ budget, period: { end } }: Tally, spent: number): BudgetGauge {
  const subject = subjectOf(budget);
  return {
    name: budgetId(budget),
    ...(subject === undefined ? {} : { subject }),
    per: budget.per,
    ...(end === Infinity ? {} : { resets: end }),
    limit: budget.amount,
    spent,
  };
}

function subjectOf({ subject }: Budget): BudgetGauge["subject"] {
  if (subject === "all") return undefined;
  if ("target" in subject) return { kind: "model", name: subject.target };
  if ("key" in subject) return { kind: "key", name: subject.key };
  return "group" in subject
    ? { kind: "group", name: subject.group }
    : { kind: "user", name: subject.user };
}

function closeEnvoy({ limits, ofKeys }: { limits: EnvoyLimits; ofKeys: EnvoyKeyLimits }): void {
  limits.close();
  ofKeys.close();
}
