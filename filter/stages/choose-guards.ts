// Stage: which policies of `guards` look into the response.
import { GuardPolicy } from "../config/guard-policy";
import { Exchange } from "../exchange/exchange";
import { Outcome, StageContext } from "./stage-context";

export function chooseGuards(exchange: Exchange, context: StageContext): Outcome {
  const policies = context.config.guards;
  const client = exchange.client;
  if (policies.length == 0 || !client.endpoint.row.isInference) return Outcome.Next;
  const route = exchange.route;
  const place = route === null ? -1 : context.config.routes.indexOf(route);
  const chosen = new Array<GuardPolicy>();
  for (let i = 0; i < policies.length; i++) {
    const policy = policies[i];
    if (!policy.onResponses) continue;
    if (policy.appliesTo(client.isIngress, client.apiKey, place, exchange.wildcardModel))
      chosen.push(policy);
  }
  if (chosen.length > 0) exchange.responsePolicies = chosen;
  return Outcome.Next;
}
