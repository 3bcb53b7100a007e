// Stages: what a request shows of its session, in its head and in its body.
import { Exchange } from "../exchange/exchange";
import { Session } from "../exchange/client-session";
import { Outcome, StageContext } from "./stage-context";

export function readSessionHeaders(exchange: Exchange, context: StageContext): Outcome {
  if (context.config.sessions !== null && !exchange.client.isModelServer)
    exchange.session = new Session();
  return Outcome.Next;
}

export function readSession(exchange: Exchange, context: StageContext): Outcome {
  const session = exchange.session;
  const names = context.config.sessions;
  if (session !== null && names !== null && names.isRecorded)
    session.readBody(exchange.client, context.tape);
  return Outcome.Next;
}
