// Stages: what a request shows of its session, in its head and in its body, and whether that has ended.
import { Exchange } from "../exchange/exchange";
import { Session } from "../exchange/client-session";
import { Fault } from "../hub/faults/fault";
import { hasEnded } from "../limits/session-ends";
import { constant, Span } from "../bytes/text/bytes";
import { readPromptParts } from "../exchange/prompt-hashes";
import { Outcome, StageContext } from "./stage-context";

const NO_KEY = constant("");
const id = new Span(0, 0);

export function readSessionHeaders(exchange: Exchange, context: StageContext): Outcome {
  if (context.config.sessions !== null && !exchange.client.isModelServer)
    exchange.session = new Session();
  return Outcome.Next;
}

export function readSession(exchange: Exchange, context: StageContext): Outcome {
  const session = exchange.session;
  const names = context.config.sessions;
  if (session === null || names === null || !names.isRecorded) return Outcome.Next;
  const client = exchange.client;
  session.readBody(client, context.tape);
  const hasRecord = exchange.isObserved && session.id !== null;
  if (hasRecord && names.isObserved && client.endpoint.row.isInference)
    session.prompt = readPromptParts(client.dialect, context.tape);
  return Outcome.Next;
}

/** Rejects the requests of a session that was ended at run time. */
export function checkSessionEnd(exchange: Exchange, context: StageContext): Outcome {
  const session = exchange.session;
  if (session === null) return Outcome.Next;
  const own = session.id;
  if (own === null) return Outcome.Next;
  const key = exchange.client.apiKey;
  if (!hasEnded(own.view(id), key === null ? NO_KEY : key.name)) return Outcome.Next;
  const what = "Session " + own.toText() + " was ended by an operator of the gateway.";
  return context.refuse(stopFault(exchange, what + " Start a new session.", "session_ended"));
}

/** Returns an error at which agents stop, in the status that those of the client's dialect stop at (docs/sessions.md). */
export function stopFault(exchange: Exchange, message: string, code: string): Fault {
  const fault = new Fault(exchange.client.dialect.stopStatus, message).coded(code);
  fault.isFinal = true;
  return fault;
}
