// Reads the policies of `guards` (contract/filter-document.ts, Policy).
import * as members from "../../contract/filter-document";
import { GUARD_KINDS } from "../../contract/guard-kinds";
import { NO_NODE } from "../bytes/json/tape";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { DIGEST_BYTES, sha256 } from "../bytes/text/sha256";
import { Finder } from "../guards/finder";
import { readAllowedModels } from "./allowed-models";
import { Document } from "./document";
import { GuardPolicy } from "./guard-policy";
import { Target } from "./target";

const secrets = scratchBuffer();
const digest = scratchBuffer();

/** The indices of `request|response|both`, and of `ingress|egress`. */
const REQUEST: i32 = 0;
const RESPONSE: i32 = 1;
const INGRESS: i32 = 0;
const EGRESS: i32 = 1;

/** Reads the list, which may be missing. @param routes how many routes there are */
export function readGuards(
  from: Document,
  root: u32,
  routes: i32,
  targets: Target[],
): GuardPolicy[] {
  const policies = new Array<GuardPolicy>();
  const list = from.items(root, constant(members.DOCUMENT_GUARDS));
  if (list.length == 0) return policies;
  const key = placeholderKey(targets);
  for (let i = 0; i < list.length; i++) policies.push(readPolicy(from, list[i], routes, key));
  return policies;
}

/**
 * Returns the key of the hash in placeholders, without which a value of few digits could be found by its placeholder: from the first
 * credential of a provider, so that it stays the same when models are added.
 */
function placeholderKey(targets: Target[]): Span {
  secrets.clear();
  for (let i = 0; i < targets.length && secrets.length == 0; i++) {
    if (targets[i].secrets.length > 0) secrets.span(targets[i].secrets[0]);
  }
  digest.clear();
  const out = digest.reserve(DIGEST_BYTES);
  if (out == 0) return constant("");
  sha256(secrets.pointer, secrets.length, out);
  digest.length = DIGEST_BYTES;
  return digest.keep();
}

function readPolicy(from: Document, node: u32, routes: i32, key: Span): GuardPolicy {
  const policy = new GuardPolicy(from.bytes(node, constant(members.POLICY_NAME)), key);
  const direction = from.choice(node, constant(members.POLICY_DIRECTION));
  policy.onRequests = direction != RESPONSE;
  policy.onResponses = direction != REQUEST;
  policy.action = from.choice(node, constant(members.POLICY_ACTION));
  policy.failsOpen = from.flag(node, constant(members.POLICY_FAILS_OPEN));
  const listener = from.choice(node, constant(members.POLICY_LISTENER));
  policy.onIngress = listener != EGRESS;
  policy.onEgress = listener != INGRESS;
  policy.keys = from.spans(node, constant(members.POLICY_KEYS));
  policy.groups = from.spans(node, constant(members.POLICY_GROUPS));
  const models = from.member(node, constant(members.POLICY_MODELS));
  if (models != NO_NODE) policy.models = readAllowedModels(from, models, routes);
  const find = from.numbers(node, constant(members.POLICY_FIND));
  let kinds: u64 = 0;
  for (let i = 0; i < find.length; i++) {
    if (find[i] < 0 || find[i] >= GUARD_KINDS.length) from.report("a policy finds an unknown kind");
    else kinds |= (<u64>1) << find[i];
  }
  policy.finder = new Finder(kinds);
  policy.isReversible = from.flag(node, constant(members.POLICY_REVERSIBLE));
  return policy;
}
