// Reads the VM configuration (contract/filter-document.ts) and the environment into the filter's own tables.
import * as members from "../../contract/filter-document";
import { readTokenIssuers, TokenIssuer } from "./read-issuers";
import { FILTER_CONFIG_VERSION } from "../../contract/words";
import { DEFAULT_SHARE } from "../memory/memory-budget";
import { NO_NODE } from "../bytes/json/tape";
import { startsWith } from "../bytes/text/at";
import { constant } from "../bytes/text/bytes";
import { DIALECTS } from "../dialects/dialect-registry";
import { mayLeaveUsual } from "./choose-api";
import { bytesOf, Document } from "./document";
import { ApiKeys, readApiKeys } from "./api-keys";
import { Budgets, readBudgets } from "./read-budgets";
import { ContentRules, readContentRules } from "./content-rules";
import { GuardPolicy } from "./guard-policy";
import { readGuards } from "./read-guards";
import { ModelList, readModelList } from "./model-list";
import { NameTable } from "./name-table";
import { readPriceLists } from "./price-list";
import { PromptConfig } from "./prompt-target";
import { readTargets } from "./read-target";
import { readPrompt } from "./read-prompt";
import { RateLimit } from "./rate-limit-rule";
import { readRateLimits } from "./read-rate-limits";
import { lengthWithoutMark, NamePattern, readNamePatterns } from "./name-pattern";
import { readSessions, SessionHeaders } from "./session-headers";
import { Balance, RetryPolicy, Route, Target } from "./target";
import { modelOfWildcard, Wildcard, WildcardModel } from "./wildcard";
import { readWildcards } from "./read-wildcards";

/** The configuration by which every request is processed. */
export class Config {
  targets: Target[] = [];
  rateLimits: RateLimit[] = [];
  routes: Route[] = [];
  names: NameTable = new NameTable();
  /** Aliases for the names that are not in the table, and entries for those that no alias takes. */
  patterns: NamePattern[] = [];
  wildcards: Wildcard[] = [];
  /** The model of the wildcard that `routeOfOther` has found last; the caller owns it. */
  taken: WildcardModel | null = null;
  defaultRoute: i32 = 0;
  /** Maximum size of a request body in bytes; a larger one gets a 413. */
  largestBody: u32 = 0;
  /** Bytes that requests and streams may hold between callbacks (filter/memory/memory-budget.ts). */
  heldMemory: u32 = DEFAULT_SHARE;
  /** The response to GET /v1/models of a client without an allow-list. */
  models: ModelList = new ModelList();
  /** Whether a usage record is written for each request (observe/write-usage-record.ts). */
  isObserved: bool = false;
  /** Whether the usage of every response is read, for usage records or traces. */
  readsUsage: bool = false;
  /** The budgets of money, and which of them apply to a request. */
  budgets: Budgets = new Budgets();
  /** Whether keys, groups and users come at run time. */
  hasRunTimeKeys: bool = false;
  /** Whether requests may have budgets: of the configuration, or of run time. */
  hasBudgets: bool = false;
  /** Whether a rate limit is for each session or user. */
  limitsEach: bool = false;
  /** How the session of a request is found; null if nothing needs it. */
  sessions: SessionHeaders | null = null;
  /** Whether a route places its requests by measurement. */
  isMeasured: bool = false;
  /** Whether some target has a known price, by which responses are charged. */
  isPriced: bool = false;
  /** Whether complete responses show their cost in a header. */
  showsCost: bool = false;
  /** Whether requests are traced (exchange/written-trace.ts). */
  isTraced: bool = false;
  /** How many of 10,000 traces are recorded, if the client has not decided. */
  sampled: u32 = 0;
  /** Whether the client may decide. */
  followsParent: bool = false;
  /** URL of the live page, for GET /; empty if it is not shown. */
  page: string = "";
  /** What is captured of requests and responses; null if nothing is. */
  content: ContentRules | null = null;
  /** Whether one of the providers uses pass-through auth (it is sent the client's own key). */
  passesClientKey: bool = false;
  /** API keys of the listeners' clients; null if no key is required. */
  ingressKeys: ApiKeys | null = null;
  egressKeys: ApiKeys | null = null;
  /** Issuers of the tokens that clients of a listener may send in place of a key. */
  ingressTokens: TokenIssuer[] = [];
  egressTokens: TokenIssuer[] = [];
  /** The policies of `guards`, in their order. */
  guards: GuardPolicy[] = [];
  /** Prompt targets and the guard; null if neither is configured. */
  prompt: PromptConfig | null = null;

  /** Returns whether prompt targets are offered as tools. */
  hasTools(): bool {
    const prompt = this.prompt;
    return prompt !== null && prompt.hasTools;
  }

  /** Returns the route of a name that is not in the table, -1 if it has none; `taken` is then the model of a wildcard, or null. */
  routeOfOther(pointer: usize, length: u32): i32 {
    this.taken = null;
    const plain = lengthWithoutMark(pointer, length);
    if (plain < length) {
      const route = this.names.get(pointer, plain);
      if (route >= 0) return route;
    }
    for (let i = 0; i < this.patterns.length; i++) {
      const pattern = this.patterns[i];
      if (startsWith(pointer, plain, pattern.prefix)) return pattern.route;
    }
    const model = modelOfWildcard(this.wildcards, pointer, plain);
    this.taken = model;
    return model === null ? -1 : model.route;
  }
}

/** The indices of `true|requests`; -1 without usage records. */
const USAGE_OF_RESPONSES: i32 = 0;

/** Reads the configuration; `from.problem` has the reason if it is not valid. */
export function readConfig(from: Document, pointer: usize, length: u32): Config {
  const config = new Config();
  const root = from.open(pointer, length);
  if (from.problem.length > 0) return config;
  const version = from.number(root, constant(members.DOCUMENT_VERSION));
  if (version != FILTER_CONFIG_VERSION)
    from.report("version " + version.toString() + " is not " + FILTER_CONFIG_VERSION.toString());
  const isByService = from.flag(root, constant(members.DOCUMENT_RATE_LIMIT_SERVICE));
  const rateLimits = constant(members.DOCUMENT_RATE_LIMITS);
  config.rateLimits = readRateLimits(from, root, rateLimits, isByService);
  for (let i = 0; i < config.rateLimits.length; i++) {
    if (config.rateLimits[i].each >= 0) config.limitsEach = true;
  }
  const priceLists = readPriceLists(from, root);
  config.targets = readTargets(from, root, config.rateLimits, priceLists);
  readRoutes(from, root, config);
  readNames(from, root, config);
  config.models = readModelList(from, root, constant(members.DOCUMENT_MODELS));
  readListenerKeys(from, root, config);
  const tokens = from.member(root, constant(members.DOCUMENT_TOKENS));
  if (tokens != NO_NODE) {
    config.ingressTokens = readTokenIssuers(from, tokens, constant(members.TOKENS_INGRESS));
    config.egressTokens = readTokenIssuers(from, tokens, constant(members.TOKENS_EGRESS));
  }
  config.guards = readGuards(from, root, config.routes.length, config.targets);
  config.prompt = readPrompt(from, root);
  readObserved(from, root, config);
  const listeners = [config.ingressKeys, config.egressKeys];
  config.budgets = readBudgets(from, root, listeners, config.targets);
  config.hasRunTimeKeys = from.flag(root, constant(members.DOCUMENT_RUN_TIME_KEYS));
  config.hasBudgets = config.budgets.ids.length > 0 || config.hasRunTimeKeys;
  config.showsCost = from.flag(root, constant(members.DOCUMENT_COST_HEADER));
  config.largestBody = from.number(root, constant(members.DOCUMENT_LARGEST_BODY));
  config.heldMemory = from.number(root, constant(members.DOCUMENT_HELD_MEMORY));
  const isStrict = from.flag(root, constant(members.DOCUMENT_STRICT_TRANSLATION));
  addTargetTraits(config, config.targets, isStrict);
  config.sessions = readSessions(from, from.member(root, constant(members.DOCUMENT_SESSIONS)));
  from.close();
  return config;
}

function readListenerKeys(from: Document, root: u32, config: Config): void {
  const node = from.member(root, constant(members.DOCUMENT_API_KEYS));
  if (node == NO_NODE) return;
  const limits = config.rateLimits;
  const routes = config.routes.length;
  const ingress = constant(members.LISTENERS_INGRESS);
  config.ingressKeys = readApiKeys(from, node, ingress, limits, routes);
  const egress = constant(members.LISTENERS_EGRESS);
  config.egressKeys = readApiKeys(from, node, egress, limits, routes);
}

/** Reads what is recorded of requests. */
function readObserved(from: Document, root: u32, config: Config): void {
  config.content = readContentRules(from, root);
  config.page = from.text(root, constant(members.DOCUMENT_PAGE));
  const traces = from.member(root, constant(members.DOCUMENT_TRACES));
  config.isTraced = traces != NO_NODE;
  if (config.isTraced) {
    config.sampled = from.number(traces, constant(members.TRACES_SAMPLED));
    config.followsParent = from.flag(traces, constant(members.TRACES_FOLLOWS_PARENT));
  }
  const records = from.choice(root, constant(members.DOCUMENT_USAGE_RECORDS));
  config.isObserved = records >= 0;
  config.readsUsage = records == USAGE_OF_RESPONSES || config.isTraced;
}

/** Sets what depends on all targets. */
function addTargetTraits(config: Config, targets: Target[], isStrict: bool): void {
  for (let i = 0; i < targets.length; i++) {
    const target = targets[i];
    if (target.passesClientKey) config.passesClientKey = true;
    if (target.price !== null || target.priceList !== null) config.isPriced = true;
    target.limits.strict = isStrict;
    addTargetTraits(config, target.also, isStrict);
  }
}

function readRoutes(from: Document, root: u32, config: Config): void {
  const list = from.items(root, constant(members.DOCUMENT_ROUTES));
  for (let i = 0; i < list.length; i++) {
    const node = list[i];
    const targets = from.pick<Target>(node, constant(members.ROUTE_TARGETS), config.targets);
    if (targets.length == 0) from.report("a route has no target");
    const retry = from.member(node, constant(members.ROUTE_RETRY));
    const policy = readRetryPolicy(from, retry, targets);
    const route = new Route(from.bytes(node, constant(members.ROUTE_CLUSTER)), targets, policy);
    // The document repeats the cluster of a target only if no route has it.
    if (policy === null && targets.length > 0) targets[0].setCluster(route.cluster);
    const limits = constant(members.ROUTE_RATE_LIMITS);
    route.rateLimits = from.pick<RateLimit>(node, limits, config.rateLimits);
    route.isLimited = route.rateLimits.length > 0;
    for (let j = 0; j < targets.length; j++) {
      if (targets[j].rateLimits.length > 0) route.isLimited = true;
    }
    addVariants(route);
    if (policy !== null && policy.balance != Balance.Weight) config.isMeasured = true;
    config.routes.push(route);
  }
}

/** Prepares which API of its targets each dialect's clients use. */
function addVariants(route: Route): void {
  const targets = route.targets;
  let hasVariants = false;
  for (let i = 0; i < targets.length; i++) {
    if (targets[i].also.length > 0) hasVariants = true;
  }
  if (!hasVariants) return;
  const variants = new Array<Target[]>();
  const choices = new Array<bool>();
  for (let i = 0; i < DIALECTS.length; i++) {
    const own = new Array<Target>();
    let isChosen = false;
    for (let j = 0; j < targets.length; j++) {
      own.push(targets[j].forClient(DIALECTS[i]));
      if (mayLeaveUsual(targets[j], DIALECTS[i])) isChosen = true;
    }
    variants.push(own);
    choices.push(isChosen);
  }
  route.setVariants(variants, choices);
}

function readRetryPolicy(from: Document, node: u32, targets: Target[]): RetryPolicy | null {
  if (node == NO_NODE) return null;
  const policy = new RetryPolicy();
  policy.attempts = from.number(node, constant(members.RETRY_ATTEMPTS));
  policy.statuses = from.numbers(node, constant(members.RETRY_STATUSES));
  policy.afterContextLength = from.flag(node, constant(members.RETRY_CONTEXT_LENGTH));
  policy.weights = from.numbers(node, constant(members.RETRY_WEIGHTS));
  for (let i = 0; i < policy.weights.length; i++) policy.totalWeight += policy.weights[i];
  readBalance(from, node, policy);
  policy.keepsSessions =
    !from.has(node, constant(members.RETRY_AFFINITY)) && hasChoice(policy, targets);
  if (policy.weights.length > targets.length) from.report("a route has more weights than targets");
  for (let i = 0; i < targets.length; i++) {
    if (targets[i].attemptCluster.length == 0)
      from.report("target '" + targets[i].name + "' has no cluster for attempts");
  }
  return policy;
}

function readBalance(from: Document, node: u32, policy: RetryPolicy): void {
  policy.balance = from.choice(node, constant(members.RETRY_BALANCE)) + 1;
  let count = 0;
  for (let i = 0; i < policy.weights.length; i++) count += i32(policy.weights[i] > 0);
  if (policy.balance == Balance.Weight) return;
  if (count == 0) from.report("a route with 'balance' has no weight above 0");
  policy.meanWeight = <f64>policy.totalWeight / <f64>count;
}

/** Returns whether several targets share the requests, or a target has several keys. */
function hasChoice(policy: RetryPolicy, targets: Target[]): bool {
  if (policy.weights.length > 1) return true;
  for (let i = 0; i < targets.length; i++) {
    if (targets[i].credentials.length > 1) return true;
  }
  return false;
}

/** Reads which names stand for which route. */
function readNames(from: Document, root: u32, config: Config): void {
  const routes = config.routes.length;
  const keys = from.keys(root, constant(members.DOCUMENT_NAMES));
  for (let i = 0; i < keys.length; i++) {
    const route = from.numberOf(keys[i] + 1);
    if (route >= routes) from.report("a name stands for a route that is not there");
    config.names.set(bytesOf(from.tape, keys[i]), route);
  }
  config.patterns = readNamePatterns(from, root, routes);
  config.wildcards = readWildcards(from, root, routes);
  config.defaultRoute = from.index(root, constant(members.DOCUMENT_DEFAULT), routes);
}
