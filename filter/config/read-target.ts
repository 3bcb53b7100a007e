// One target of the filter's configuration: where its requests go, its credentials, headers, capabilities and limits.
import { CREDENTIAL_KINDS, CredentialKind } from "../../contract/credentials";
import { OPENAI_RESPONSES } from "../../contract/dialects";
import * as members from "../../contract/filter-document";
import { hostedClaude } from "../dialects/anthropic/messages/hosted/hosted-claude";
import { originOf } from "../hub/reasoning-carrier";
import { awaitMarks } from "../dialects/edit-call-ids";
import { dialectByName } from "../dialects/dialect-registry";
import { constant, Span } from "../bytes/text/bytes";
import { hash64 } from "../bytes/text/hash";
import { Document, quoted, textOf } from "./document";
import { RateLimit } from "./rate-limit-rule";
import { Price } from "./price";
import { PriceList } from "./price-list";
import { addSecret, readHeaders } from "./read-headers";
import { readLimits } from "./read-limits";
import { Target } from "./target";

/** Returns the targets; each has those of its provider's further dialects. */
export function readTargets(
  from: Document,
  root: u32,
  rateLimits: RateLimit[],
  priceLists: PriceList[],
): Target[] {
  const targets = new Array<Target>();
  const list = from.items(root, constant(members.DOCUMENT_TARGETS));
  for (let i = 0; i < list.length; i++) {
    const target = readTarget(from, list[i], rateLimits, priceLists);
    setEffortsOfApi(target);
    const variants = from.items(list[i], constant(members.TARGET_ALSO));
    for (let j = 0; j < variants.length; j++) {
      const variant = readTarget(from, list[i], rateLimits, priceLists);
      const path = from.bytes(variants[j], constant(members.VARIANT_PATH));
      setDialect(from, variant, from.text(variants[j], constant(members.VARIANT_DIALECT)), path);
      const query = constant(members.VARIANT_QUERY);
      if (from.has(variants[j], query)) variant.query = from.bytes(variants[j], query);
      setEffortsOfApi(variant);
      target.addVariant(variant);
    }
    targets.push(target);
  }
  if (list.length == 0) from.report("'targets' is empty");
  return targets;
}

function readTarget(
  from: Document,
  node: u32,
  rateLimits: RateLimit[],
  priceLists: PriceList[],
): Target {
  const target = new Target();
  target.name = from.text(node, constant(members.TARGET_NAME));
  target.nameSpan = constant(target.name);
  target.place = hash64(target.nameSpan.pointer, target.nameSpan.length);
  target.isWildcard = from.flag(node, constant(members.TARGET_IS_WILDCARD));
  const path = from.bytes(node, constant(members.TARGET_PATH));
  setDialect(from, target, from.text(node, constant(members.TARGET_DIALECT)), path);
  target.modelJson = quoted(from.text(node, constant(members.TARGET_MODEL)));
  target.modelText = new Span(target.modelJson.pointer + 1, target.modelJson.length - 2);
  target.authority = from.bytes(node, constant(members.TARGET_AUTHORITY));
  target.traceProvider = from.bytes(node, constant(members.TARGET_TRACE_PROVIDER));
  target.query = from.bytes(node, constant(members.TARGET_QUERY));
  target.systemPromptJson = from.escaped(node, constant(members.TARGET_SYSTEM_PROMPT));
  target.ownPromptJson = from.has(node, constant(members.TARGET_OWN_SYSTEM_PROMPT))
    ? from.escaped(node, constant(members.TARGET_OWN_SYSTEM_PROMPT))
    : target.systemPromptJson;
  target.asksUsage = from.flag(node, constant(members.TARGET_ASKS_USAGE));
  target.limits.supportsStreamUsage = target.asksUsage;
  readLimits(from, from.member(node, constant(members.TARGET_LIMITS)), target.limits);
  target.limits.addsCaching = !from.has(node, constant(members.TARGET_PROMPT_CACHING));
  target.limits.policies = from.bytes(node, constant(members.TARGET_POLICIES));
  const ofStreams = constant(members.TARGET_STREAM_POLICIES);
  target.limits.streamPolicies = from.has(node, ofStreams)
    ? from.bytes(node, ofStreams)
    : target.limits.policies;
  target.limits.origin = originOf(target.nameSpan);
  setHosted(from, target, from.text(node, constant(members.TARGET_ENVELOPE)));
  target.rateLimits = from.pick<RateLimit>(node, constant(members.TARGET_RATE_LIMITS), rateLimits);
  readCredentials(from, node, target);
  target.decompresses = from.flag(node, constant(members.TARGET_DECOMPRESSES));
  target.passesClientKey = from.flag(node, constant(members.TARGET_PASSES_CLIENT_KEY));
  target.cluster = from.bytes(node, constant(members.TARGET_CLUSTER));
  target.attemptCluster = from.bytes(node, constant(members.TARGET_ATTEMPT_CLUSTER));
  if (from.has(node, constant(members.TARGET_PRICE)))
    target.price = new Price(from, node, constant(members.TARGET_PRICE));
  if (from.has(node, constant(members.TARGET_PRICE_LIST))) {
    const list = from.index(node, constant(members.TARGET_PRICE_LIST), priceLists.length);
    if (list >= 0 && list < priceLists.length) target.priceList = priceLists[list];
  }
  target.hasRates = from.flag(node, constant(members.TARGET_HAS_RATES));
  const headers = constant(members.TARGET_HEADERS);
  readHeaders(from, node, headers, target.headers, target.secrets);
  return target;
}

/** The efforts of a model in the Responses API may be others. */
function setEffortsOfApi(target: Target): void {
  const limits = target.limits;
  if (limits.responsesEfforts == 0 || target.dialect.name != OPENAI_RESPONSES.name) return;
  limits.efforts = limits.responsesEfforts;
  limits.knowsEfforts = true;
}

/** Sets where the provider serves a dialect. */
function setDialect(from: Document, target: Target, name: string, path: Span): void {
  const dialect = dialectByName(name);
  if (dialect === null) from.report("unknown dialect of target '" + target.name + "'");
  else target.dialect = dialect;
  if (target.dialect.leavesMarks) awaitMarks();
  target.path = path;
  const end = min(target.dialect.ownPathLength, path.length);
  target.basePath = new Span(path.pointer, path.length - end);
}

/** Sets how the target's cloud expects messages. */
function setHosted(from: Document, target: Target, name: string): void {
  if (name.length == 0) return;
  target.hosted = hostedClaude(name);
  if (target.hosted === null) from.report("unknown envelope '" + name + "'");
  target.limits.isLimiting = true;
}

function readCredentials(from: Document, node: u32, target: Target): void {
  const kind = readCredentialKind(from, from.text(node, constant(members.TARGET_AUTH)));
  const keys = from.items(node, constant(members.TARGET_KEYS));
  if (kind === null || kind.header.length == 0) return;
  target.credentialName = constant(kind.header);
  for (let i = 0; i < keys.length; i++) {
    const variable = textOf(from.tape, keys[i]);
    const key = from.variable(variable);
    if (key.length == 0) from.reportVariable(variable, "target", target.name);
    addSecret(target.secrets, key);
    target.credentials.push(constant(kind.prefix + key));
    // The name, which stays when the secret is replaced.
    target.keyPlaces.push(hash64(from.tape.pointer(keys[i]), from.tape.size(keys[i])));
  }
  if (keys.length == 0) from.report("target '" + target.name + "' has no key");
}

function readCredentialKind(from: Document, name: string): CredentialKind | null {
  for (let i = 0; i < CREDENTIAL_KINDS.length; i++) {
    if (CREDENTIAL_KINDS[i].name == name) return CREDENTIAL_KINDS[i];
  }
  from.report("unknown auth '" + name + "'");
  return null;
}
