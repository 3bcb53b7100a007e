// Stage: which policies of `guards` apply to the exchange, in both directions.
import { GuardPolicy } from "../config/guard-policy";
import { Exchange } from "../exchange/exchange";
import { Guarded } from "../exchange/guarded";
import { Outcome, StageContext } from "./stage-context";

export function chooseGuards(exchange: Exchange, context: StageContext): Outcome {
  const policies = context.config.guards;
  if (policies.length == 0) return Outcome.Next;
  const client = exchange.client;
  const route = exchange.route;
  const place = route === null ? -1 : context.config.routes.indexOf(route);
  const chosen = new Array<GuardPolicy>();
  for (let i = 0; i < policies.length; i++) {
    const policy = policies[i];
    if (policy.appliesTo(client.isIngress, client.apiKey, place, exchange.wildcardModel))
      chosen.push(policy);
  }
  exchange.guarded = new Guarded(chosen);
  return Outcome.Next;
}
