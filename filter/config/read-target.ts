// One target of the filter's configuration: where its requests go, its credentials, headers, capabilities and limits.
import { CREDENTIAL_KINDS, CredentialKind } from "../../contract/credentials";
import { envelopeByName } from "../hub/envelope";
import { awaitSignatures } from "../dialects/edit-call-ids";
import { dialectByName } from "../dialects/registry";
import { Tape } from "../bytes/json/tape";
import { constant, Span } from "../bytes/text/bytes";
import {
  bytesOf,
  escapedOf,
  onlyKnownMembers,
  optionalString,
  quoted,
  reportProblem,
  stringMember,
  textOf,
} from "./document";
import { RateLimit } from "./rate-limit";
import { Price } from "./price";
import { pickPriceList, PriceList } from "./price-list";
import { addSecret, readHeaders } from "./read-headers";
import { readLimits } from "./read-limits";
import { pickRateLimits } from "./read-rate-limits";
import { Target } from "./target";

/** Returns one target of the document. */
export function readTarget(
  tape: Tape,
  node: u32,
  environment: Map<string, string>,
  rateLimits: RateLimit[],
  priceLists: PriceList[],
): Target {
  const target = readOne(tape, node, environment, rateLimits, priceLists);
  readVariants(tape, node, environment, rateLimits, priceLists, target);
  return target;
}

function readOne(
  tape: Tape,
  node: u32,
  environment: Map<string, string>,
  rateLimits: RateLimit[],
  priceLists: PriceList[],
): Target {
  onlyKnownMembers(
    tape,
    node,
    constant(
      "name model is_wildcard dialect authority path query envelope also auth keys cluster attempt_cluster passes_client_key headers decompresses system_prompt own_system_prompt asks_usage limits rate_limits trace_provider price price_list",
    ),
  );
  const target = new Target();
  target.name = stringMember(tape, node, constant("name"));
  target.nameSpan = constant(target.name);
  target.isWildcard = tape.isTrue(tape.member(node, constant("is_wildcard")));
  readDialect(tape, node, target);
  target.modelJson = quoted(stringMember(tape, node, constant("model")));
  target.modelText = new Span(target.modelJson.pointer + 1, target.modelJson.length - 2);
  target.authority = constant(stringMember(tape, node, constant("authority")));
  target.traceProvider = textMember(tape, node, constant("trace_provider"));
  target.query = textMember(tape, node, constant("query"));
  const prompt = tape.member(node, constant("system_prompt"));
  if (tape.isString(prompt)) target.systemPromptJson = escapedOf(tape, prompt);
  const ownPrompt = tape.member(node, constant("own_system_prompt"));
  target.ownPromptJson = tape.isString(ownPrompt)
    ? escapedOf(tape, ownPrompt)
    : target.systemPromptJson;
  target.asksUsage = tape.isTrue(tape.member(node, constant("asks_usage")));
  target.limits.supportsStreamUsage = target.asksUsage;
  readLimits(tape, tape.member(node, constant("limits")), target.limits);
  readEnvelope(tape, node, target);
  pickRateLimits(tape, tape.member(node, constant("rate_limits")), rateLimits, target.rateLimits);
  readCredentials(tape, node, environment, target);
  target.decompresses = tape.isTrue(tape.member(node, constant("decompresses")));
  target.passesClientKey = tape.isTrue(tape.member(node, constant("passes_client_key")));
  readClusters(tape, node, target);
  readPrice(tape, node, priceLists, target);
  readHeaders(
    tape,
    tape.member(node, constant("headers")),
    environment,
    target.headers,
    target.secrets,
  );
  return target;
}

function readPrice(tape: Tape, node: u32, lists: PriceList[], target: Target): void {
  const price = tape.member(node, constant("price"));
  if (tape.isArray(price)) target.price = new Price(tape, price);
  target.priceList = pickPriceList(tape, tape.member(node, constant("price_list")), lists);
}

/** Returns the bytes of a text; none if the member is missing. */
function textMember(tape: Tape, object: u32, name: Span): Span {
  const node = tape.member(object, name);
  return tape.isString(node) ? bytesOf(tape, node) : new Span(0, 0);
}

function readClusters(tape: Tape, node: u32, target: Target): void {
  const cluster = tape.member(node, constant("cluster"));
  if (tape.isString(cluster)) target.cluster = bytesOf(tape, cluster);
  const attemptCluster = tape.member(node, constant("attempt_cluster"));
  if (tape.isString(attemptCluster)) target.attemptCluster = bytesOf(tape, attemptCluster);
}

/** Reads the target in the further dialects of its provider. */
function readVariants(
  tape: Tape,
  node: u32,
  environment: Map<string, string>,
  rateLimits: RateLimit[],
  priceLists: PriceList[],
  target: Target,
): void {
  const list = tape.member(node, constant("also"));
  const end = tape.next(list);
  for (let item = tape.first(list); item < end; item = tape.next(item)) {
    onlyKnownMembers(tape, item, constant("dialect path"));
    const variant = readOne(tape, node, environment, rateLimits, priceLists);
    readDialect(tape, item, variant);
    target.also.push(variant);
  }
}

/** Reads where the provider serves a dialect. */
function readDialect(tape: Tape, node: u32, target: Target): void {
  const dialect = dialectByName(stringMember(tape, node, constant("dialect")));
  if (dialect === null) reportProblem("unknown dialect of target '" + target.name + "'");
  else target.dialect = dialect;
  if (target.dialect.signsCallIds) awaitSignatures();
  target.path = constant(stringMember(tape, node, constant("path")));
  const end = min(target.dialect.ownPathLength, target.path.length);
  target.basePath = new Span(target.path.pointer, target.path.length - end);
}

/** Reads how the target's cloud expects messages. */
function readEnvelope(tape: Tape, node: u32, target: Target): void {
  const name = optionalString(tape, node, constant("envelope"));
  if (name.length == 0) return;
  const envelope = envelopeByName(name);
  if (envelope === null) reportProblem("unknown envelope '" + name + "'");
  target.limits.envelope = envelope;
  target.limits.isLimiting = true;
}

function readCredentials(
  tape: Tape,
  node: u32,
  environment: Map<string, string>,
  target: Target,
): void {
  const kind = readCredentialKind(stringMember(tape, node, constant("auth")));
  if (kind === null || kind.header.length == 0) return;
  target.credentialName = constant(kind.header);
  const keys = tape.member(node, constant("keys"));
  const end = tape.next(keys);
  for (let item = tape.first(keys); item < end; item = tape.next(item)) {
    const variable = textOf(tape, item);
    const key = environment.has(variable) ? environment.get(variable) : "";
    if (key.length == 0) {
      reportProblem(
        "the environment variable '" +
          variable +
          "' of target '" +
          target.name +
          "' is not set for Envoy",
      );
    }
    addSecret(target.secrets, key);
    target.credentials.push(constant(kind.prefix + key));
  }
  if (target.credentials.length == 0) reportProblem("target '" + target.name + "' has no key");
}

function readCredentialKind(name: string): CredentialKind | null {
  for (let i = 0; i < CREDENTIAL_KINDS.length; i++) {
    if (CREDENTIAL_KINDS[i].name == name) return CREDENTIAL_KINDS[i];
  }
  reportProblem("unknown auth '" + name + "'");
  return null;
}
