// Reads the VM configuration (model/filter-document/document.ts, `FilterConfig`) and the environment into
// the filter's own tables.
import { DEFAULT_SHARE } from "../memory/budget";
import { FILTER_CONFIG_VERSION, LISTENER_EGRESS, LISTENER_INGRESS } from "../../contract/words";
import { scan, scanMessage, SCAN_OK } from "../bytes/json/scan";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { startsWith } from "../bytes/text/at";
import { constant } from "../bytes/text/bytes";
import {
  bytesOf,
  clearProblem,
  documentProblem,
  integerOf,
  onlyKnownMembers,
  reportProblem,
  optionalString,
  stringMember,
} from "./document";
import { ApiKeys, readApiKeys } from "./api-keys";
import { Budgets, readBudgets } from "./read-budgets";
import { ContentRules, readContentRules } from "./content-rules";
import { ModelList, readModelList } from "./model-list";
import { NameTable } from "./name-table";
import { PriceList, readPriceLists } from "./price-list";
import { PromptConfig } from "./prompt-target";
import { readTarget } from "./read-target";
import { readPrompt } from "./read-prompt";
import { RateLimit } from "./rate-limit";
import { pickRateLimits, readRateLimits } from "./read-rate-limits";
import { lengthWithoutMark, NamePattern, readNamePatterns } from "./name-pattern";
import { RetryPolicy, Route, Target } from "./target";
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
  /** Bytes that requests and streams may hold between callbacks (filter/memory/budget.ts). */
  heldMemory: u32 = DEFAULT_SHARE;
  /** The response to GET /v1/models of a client without an allow-list. */
  models: ModelList = new ModelList();
  /** Whether a usage record is written for each request (observe/usage-record.ts). */
  isObserved: bool = false;
  /** Whether the usage of every response is read, for usage records or traces. */
  readsUsage: bool = false;
  /** The budgets of money, and which of them apply to a request. */
  budgets: Budgets = new Budgets();
  /** Whether some target has a known price, by which responses are charged. */
  isPriced: bool = false;
  /** Whether complete responses show their cost in a header. */
  showsCost: bool = false;
  /** Whether requests are traced (exchange/trace.ts). */
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

/** Of `usage_records`: without the usage of responses. */
const REQUESTS = constant("requests");

/** Returns the configuration, or null: then `documentProblem` contains the reason. */
export function readConfig(
  pointer: usize,
  length: u32,
  environment: Map<string, string>,
): Config | null {
  clearProblem();
  const tape = new Tape();
  const code = scan(tape, pointer, length);
  if (code != SCAN_OK) {
    reportProblem("not valid JSON: " + scanMessage(code));
    return null;
  }
  const root = tape.root();
  onlyKnownMembers(
    tape,
    root,
    constant(
      "version targets routes names patterns wildcards default largest_body held_memory models prompt strict_translation rate_limits api_keys rate_limit_service usage_records traces content budgets cost_header page price_lists",
    ),
  );
  const version = integerOf(tape, tape.member(root, constant("version")));
  if (version != FILTER_CONFIG_VERSION) {
    reportProblem("version " + version.toString() + " is not " + FILTER_CONFIG_VERSION.toString());
  }
  const config = new Config();
  config.rateLimits = readRateLimits(
    tape,
    tape.member(root, constant("rate_limits")),
    tape.isTrue(tape.member(root, constant("rate_limit_service"))),
  );
  const priceLists = readPriceLists(tape, tape.member(root, constant("price_lists")));
  readTargets(tape, tape.member(root, constant("targets")), environment, priceLists, config);
  readRoutes(tape, tape.member(root, constant("routes")), config);
  readNames(tape, tape.member(root, constant("names")), config);
  config.patterns = readNamePatterns(
    tape,
    tape.member(root, constant("patterns")),
    config.routes.length,
  );
  config.wildcards = readWildcards(
    tape,
    tape.member(root, constant("wildcards")),
    config.routes.length,
  );
  config.models = readModelList(tape, tape.member(root, constant("models")));
  readListenerKeys(tape, tape.member(root, constant("api_keys")), environment, config);
  config.prompt = readPrompt(tape, tape.member(root, constant("prompt")), environment);
  readObserved(tape, root, config);
  readMoney(tape, root, config);
  config.largestBody = integerOf(tape, tape.member(root, constant("largest_body")));
  const held = tape.member(root, constant("held_memory"));
  if (held != NO_NODE) config.heldMemory = integerOf(tape, held);
  config.defaultRoute = integerOf(tape, tape.member(root, constant("default")));
  if (config.defaultRoute >= config.routes.length)
    reportProblem("'default' names a route that is not there");
  if (tape.isTrue(tape.member(root, constant("strict_translation")))) setStrict(config.targets);
  tape.release();
  return documentProblem.length == 0 ? config : null;
}

function readListenerKeys(
  tape: Tape,
  keys: u32,
  environment: Map<string, string>,
  config: Config,
): void {
  const limits = config.rateLimits;
  const routes = config.routes.length;
  const ingress = tape.member(keys, constant(LISTENER_INGRESS));
  config.ingressKeys = readApiKeys(tape, ingress, environment, limits, routes);
  const egress = tape.member(keys, constant(LISTENER_EGRESS));
  config.egressKeys = readApiKeys(tape, egress, environment, limits, routes);
}

/** Reads what is recorded of requests. */
function readObserved(tape: Tape, root: u32, config: Config): void {
  const records = tape.member(root, constant("usage_records"));
  config.content = readContentRules(tape, tape.member(root, constant("content")));
  readTraces(tape, tape.member(root, constant("traces")), config);
  config.page = optionalString(tape, root, constant("page"));
  config.isObserved = tape.isTrue(records) || tape.equals(records, REQUESTS);
  config.readsUsage = tape.isTrue(records) || config.isTraced;
}

function readMoney(tape: Tape, root: u32, config: Config): void {
  const targets = config.targets;
  const list = tape.member(root, constant("budgets"));
  config.budgets = readBudgets(tape, list, [config.ingressKeys, config.egressKeys], targets);
  config.showsCost = tape.isTrue(tape.member(root, constant("cost_header")));
  for (let i = 0; i < targets.length; i++) {
    if (targets[i].price !== null || targets[i].priceList !== null) config.isPriced = true;
  }
}

function readTraces(tape: Tape, node: u32, config: Config): void {
  config.isTraced = tape.isObject(node);
  if (!config.isTraced) return;
  config.sampled = integerOf(tape, tape.member(node, constant("sampled")));
  config.followsParent = tape.isTrue(tape.member(node, constant("follows_parent")));
}

function setStrict(targets: Target[]): void {
  for (let i = 0; i < targets.length; i++) {
    targets[i].limits.strict = true;
    setStrict(targets[i].also);
  }
}

function readTargets(
  tape: Tape,
  list: u32,
  environment: Map<string, string>,
  priceLists: PriceList[],
  config: Config,
): void {
  const end = tape.next(list);
  for (let node = tape.first(list); node < end; node = tape.next(node)) {
    const target = readTarget(tape, node, environment, config.rateLimits, priceLists);
    if (target.passesClientKey) config.passesClientKey = true;
    config.targets.push(target);
  }
  if (config.targets.length == 0) reportProblem("'targets' is empty");
}

function readRoutes(tape: Tape, list: u32, config: Config): void {
  const end = tape.next(list);
  for (let node = tape.first(list); node < end; node = tape.next(node)) {
    onlyKnownMembers(tape, node, constant("cluster targets retry rate_limits"));
    const targets = new Array<Target>();
    const indices = tape.member(node, constant("targets"));
    const stop = tape.next(indices);
    for (let index = tape.first(indices); index < stop; index = tape.next(index)) {
      const at = integerOf(tape, index);
      if (at >= 0 && at < config.targets.length) targets.push(config.targets[at]);
      else reportProblem("a route names a target that is not there");
    }
    if (targets.length == 0) reportProblem("a route has no target");
    const retryPolicy = readRetryPolicy(tape, tape.member(node, constant("retry")), targets);
    const route = new Route(
      constant(stringMember(tape, node, constant("cluster"))),
      targets,
      retryPolicy,
    );
    // The document repeats the cluster of a target only if no route has it.
    if (retryPolicy === null && targets.length > 0) targets[0].setCluster(route.cluster);
    pickRateLimits(
      tape,
      tape.member(node, constant("rate_limits")),
      config.rateLimits,
      route.rateLimits,
    );
    route.isLimited = route.rateLimits.length > 0;
    for (let i = 0; i < targets.length; i++) {
      if (targets[i].rateLimits.length > 0) route.isLimited = true;
    }
    route.addVariants();
    config.routes.push(route);
  }
}

function readRetryPolicy(tape: Tape, node: u32, targets: Target[]): RetryPolicy | null {
  if (!tape.isObject(node)) return null;
  onlyKnownMembers(tape, node, constant("weights attempts statuses"));
  const policy = new RetryPolicy();
  policy.attempts = integerOf(tape, tape.member(node, constant("attempts")));
  readIntegers(tape, tape.member(node, constant("statuses")), policy.statuses);
  readIntegers(tape, tape.member(node, constant("weights")), policy.weights);
  for (let i = 0; i < policy.weights.length; i++) policy.totalWeight += policy.weights[i];
  if (policy.weights.length > targets.length)
    reportProblem("a route has more weights than targets");
  for (let i = 0; i < targets.length; i++) {
    if (targets[i].attemptCluster.length == 0)
      reportProblem("target '" + targets[i].name + "' has no cluster for attempts");
  }
  return policy;
}

function readIntegers(tape: Tape, list: u32, out: i32[]): void {
  const end = tape.next(list);
  for (let item = tape.first(list); item < end; item = tape.next(item))
    out.push(integerOf(tape, item));
}

function readNames(tape: Tape, object: u32, config: Config): void {
  const end = tape.next(object);
  for (let key = tape.first(object); key < end; key = tape.next(key + 1)) {
    const route = integerOf(tape, key + 1);
    if (route >= config.routes.length) reportProblem("a name stands for a route that is not there");
    config.names.set(bytesOf(tape, key), route);
  }
}
