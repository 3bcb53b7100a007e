// Stages of the budgets of money: a request passes while something is left in each of its budgets.
import { Budget } from "../config/budget";
import { Config } from "../config/read-config";
import { Fault } from "../hub/faults/fault";
import { Exchange } from "../exchange/exchange";
import { METHOD } from "../exchange/request-head";
import { createBudgetCharge } from "../limits/budget-charge";
import { byteAt } from "../bytes/text/at";
import { ByteBuffer, constant, sameBytes, sameSpan } from "../bytes/text/bytes";
import { Outcome, StageContext } from "./stage-context";

const CANCEL = constant("/cancel");
const QUESTION: u32 = 0x3f;

/**
 * Rejects the start of a batch and the like if a budget of the key, or of all requests, is used up. What it costs is not known, so
 * nothing is charged for it.
 */
export function checkStoredWork(exchange: Exchange, context: StageContext): Outcome {
  const client = exchange.client;
  if (client.endpoint.row.hasModel || !context.config.hasBudgets) return Outcome.Next;
  if (!sameSpan(METHOD, constant("POST")) || isCancellation(client.pathEnd)) return Outcome.Next;
  const charge = createBudgetCharge(sharedBudgets(exchange, context.config), []);
  return charge === null ? Outcome.Next : context.check(charge.open([]));
}

/** Rejects a request if one of its budgets is used up, or if what it costs cannot be charged. */
export function checkBudgets(exchange: Exchange, context: StageContext): Outcome {
  const route = exchange.route;
  const client = exchange.client;
  const row = client.endpoint.row;
  if (route === null || !row.countsRequest) return Outcome.Next;
  if (!context.config.hasBudgets) return Outcome.Next;
  const targets = route.targets;
  const charge = createBudgetCharge(sharedBudgets(exchange, context.config), targets);
  if (charge === null) return Outcome.Next;
  if (row.isInference && client.dialect.runsInBackground(context.tape))
    return context.refuse(backgroundFault());
  exchange.budgetCharge = charge;
  return context.check(charge.open(targets));
}

/** Returns the budgets that do not depend on the target. */
function sharedBudgets(exchange: Exchange, config: Config): Budget[] {
  const key = exchange.client.apiKey;
  return key === null ? config.budgets.all : key.budgets;
}

/** Returns whether the path ends with `/cancel`, which saves money. */
function isCancellation(path: ByteBuffer): bool {
  let length: u32 = 0;
  while (length < path.length && byteAt(path.pointer, length) != QUESTION) length++;
  if (length < CANCEL.length) return false;
  const start = path.pointer + length - CANCEL.length;
  return sameBytes(start, CANCEL.length, CANCEL.pointer, CANCEL.length);
}

function backgroundFault(): Fault {
  const why = "'background' is not supported with a budget, because the gateway does not see what";
  return new Fault(400, why + " the response costs. Remove it, or use 'stream'.").at("background");
}
