// Stages: the policies of `guards` on what a client sends. A value that is masked is masked for everything that follows: the steps of
// a prompt, every attempt, and the log of bodies.
import { OPENAI_CHAT } from "../../contract/dialects";
import { EndpointRow } from "../../contract/endpoints";
import { GuardAction, GuardPolicy } from "../config/guard-policy";
import { TextMembers, TextRole, visitTexts } from "../dialects/texts";
import { Exchange } from "../exchange/exchange";
import { Guarded, PolicyDecision } from "../exchange/guarded";
import { kindList } from "../guards/kind-names";
import { MaskedTexts } from "../guards/masked-texts";
import { currentMilliseconds } from "../host/host";
import { Fault, outOfMemory } from "../hub/faults/fault";
import { wasRefused } from "../memory/blocks";
import { Edits } from "../bytes/json/edit";
import { constant } from "../bytes/text/bytes";
import { chooseGuards } from "./choose-guards";
import { Outcome, StageContext } from "./stage-context";

const edits = new Edits();

/** Where the endpoints that are no conversation have texts. */
const OTHER_TEXTS: TextMembers[] = [
  new TextMembers(
    [
      constant("input"),
      constant("prompt"),
      constant("suffix"),
      constant("query"),
      constant("documents"),
      constant("instructions"),
    ],
    TextRole.User,
    true,
  ),
];

/** A body that no stage reads cannot be checked. */
export function guardUnread(exchange: Exchange, context: StageContext): Outcome {
  if (context.config.guards.length == 0) return Outcome.Next;
  const row = exchange.client.endpoint.row;
  if (row.hasModel || exchange.client.isWhole) return Outcome.Next;
  chooseGuards(exchange, context);
  const guarded = exchange.guarded;
  return guarded === null
    ? Outcome.Next
    : failAll(exchange, guarded, context, "the body of " + row.path);
}

export function guardRequest(exchange: Exchange, context: StageContext): Outcome {
  const guarded = exchange.guarded;
  if (guarded === null) return Outcome.Next;
  const outcome = exchange.client.isForm
    ? failAll(exchange, guarded, context, "a form")
    : applyAll(exchange, guarded, context);
  const content = exchange.content;
  if (content !== null && outcome == Outcome.Next && context.body != 0)
    content.keepRequest(context.body, exchange.client.bodyLength);
  return outcome;
}

/** Applies `on_failure` to what cannot be checked. */
function failAll(
  exchange: Exchange,
  guarded: Guarded,
  context: StageContext,
  what: string,
): Outcome {
  for (let i = 0; i < guarded.policies.length; i++) {
    const policy = guarded.policies[i];
    if (!policy.onRequests) continue;
    const decision = guarded.decisionOf(policy, false);
    decision.hasFailed = true;
    if (passes(policy)) continue;
    decision.isBlocked = true;
    return context.refuse(uncheckedFault(exchange, policy, what));
  }
  return Outcome.Next;
}

function passes(policy: GuardPolicy): bool {
  return policy.failsOpen || policy.action == GuardAction.Monitor;
}

function applyAll(exchange: Exchange, guarded: Guarded, context: StageContext): Outcome {
  for (let i = 0; i < guarded.policies.length; i++) {
    const policy = guarded.policies[i];
    if (!policy.onRequests) continue;
    const outcome = apply(exchange, guarded, policy, context);
    if (outcome != Outcome.Next) return outcome;
  }
  return Outcome.Next;
}

function apply(
  exchange: Exchange,
  guarded: Guarded,
  policy: GuardPolicy,
  context: StageContext,
): Outcome {
  const client = exchange.client;
  const isMasking = policy.action == GuardAction.Mask;
  const start = exchange.isObserved ? currentMilliseconds() : 0;
  edits.clear();
  const texts = new MaskedTexts(
    policy.finder,
    policy.key,
    policy.isReversible,
    guarded.placeholders,
    isMasking ? edits : null,
    policy.action == GuardAction.Block,
  );
  const tape = context.tape;
  if (isConversation(client.endpoint.row)) client.dialect.texts(tape, texts);
  else visitTexts(tape, OTHER_TEXTS, texts);
  texts.end(tape);
  if (wasRefused()) return context.refuse(outOfMemory("request"));
  if (texts.findings == 0 && !texts.hasFailed) return Outcome.Next;
  const decision = guarded.decisionOf(policy, false);
  decision.findings = texts.findings;
  decision.kinds = texts.kinds;
  decision.hasFailed = texts.hasFailed;
  if (exchange.isObserved) decision.milliseconds = max(currentMilliseconds() - start, 0);
  if (policy.action == GuardAction.Block) return block(exchange, decision, context);
  if (texts.hasFailed && !passes(policy)) {
    decision.isBlocked = true;
    return context.refuse(uncheckedFault(exchange, policy, "more values than it masks"));
  }
  if (!isMasking || edits.isEmpty()) return Outcome.Next;
  return context.replaceBody(client, edits) ? Outcome.Next : context.refuse(outOfMemory("request"));
}

/** A request of a model, a count of its tokens, or one that compacts it. */
function isConversation(row: EndpointRow): bool {
  return row.isInference || row.dialect !== OPENAI_CHAT;
}

function block(exchange: Exchange, decision: PolicyDecision, context: StageContext): Outcome {
  decision.isBlocked = true;
  const name = decision.policy.name.toText();
  const what = kindList(decision.kinds);
  return context.refuse(
    denied(
      exchange,
      "The policy '" +
        name +
        "' of the gateway does not let this request pass: it has data of the kind " +
        what +
        ". Remove that, and send the request again.",
    ),
  );
}

function uncheckedFault(exchange: Exchange, policy: GuardPolicy, what: string): Fault {
  const name = policy.name.toText();
  return denied(
    exchange,
    "The policy '" +
      name +
      "' of the gateway cannot check " +
      what +
      ", so the request does not pass. Send it without, or ask the gateway's operator.",
  );
}

/** Returns the error that agents end their turn with. */
function denied(exchange: Exchange, message: string): Fault {
  const fault = new Fault(400, message).coded(exchange.client.dialect.deniedCode);
  fault.isFinal = true;
  return fault;
}
