// The responses that come from the configuration: the models, one of them, and whether the gateway runs.
import { MODEL_BY_ID, MODEL_LIST, ROOT } from "../../contract/endpoints";
import { Config } from "../config/read-config";
import { WildcardModel } from "../config/wildcard";
import { Exchange } from "../exchange/exchange";
import { PATH } from "../exchange/request-head";
import { JSON_TYPE } from "../exchange/header-names";
import { respond } from "../exchange/respond";
import { ByteBuffer, constant, scratchBuffer } from "../bytes/text/bytes";
import { decodePath, hasParameter, lengthWithoutQuery } from "../bytes/text/query";
import { modelsFor, unknownModel } from "./choose-model";
import { Outcome, StageContext } from "./stage-context";

const buffer = scratchBuffer();
const id = scratchBuffer();

/** Responds to a local endpoint, whose head was read last. */
export function respondFromConfig(exchange: Exchange, context: StageContext): Outcome {
  const row = exchange.client.endpoint.row;
  buffer.clear();
  if (row === MODEL_BY_ID) {
    readId(exchange);
    if (!writeModel(exchange, context.config))
      return context.refuse(unknownModel(exchange, context.config, id.pointer, id.length));
  } else if (row === MODEL_LIST) {
    writeModels(exchange, context.config);
  } else {
    buffer.text('{"status":"ok"');
    if (row === ROOT && context.config.page.length > 0)
      buffer.text(',"live_page":"' + context.config.page + '"');
    buffer.text("}");
  }
  respond(exchange, 200, JSON_TYPE, buffer);
  return Outcome.Responded;
}

/** Appends the list. Codex, which sends its version, reads the member `models`: of an empty one it keeps its own. */
function writeModels(exchange: Exchange, config: Config): void {
  const models = modelsFor(exchange, config);
  const ids = models.ids.slice();
  const owners = models.owners.slice();
  addTaken(exchange, config, ids, owners);
  exchange.client.dialect.writeModels(ids, owners, buffer);
  const length = lengthWithoutQuery(PATH);
  if (!hasParameter(PATH.pointer + length, PATH.length - length, constant("client_version")))
    return;
  // In place of the closing brace.
  buffer.length--;
  buffer.text(',"models":[]}');
}

/** Adds the models of wildcards that the client may use. An allow-list may have some of them by name. */
function addTaken(exchange: Exchange, config: Config, ids: string[], owners: string[]): void {
  const taken = config.models.takenIds;
  const isLimited = exchange.client.allowed !== null;
  for (let i = 0; i < taken.length; i++) {
    if (isLimited) {
      id.clear();
      id.text(taken[i]);
      if (allowedRoute(exchange, config, id) < 0 || ids.includes(taken[i])) continue;
    }
    ids.push(taken[i]);
    owners.push(config.models.takenOwners[i]);
  }
}

/** SDKs escape the slash of `openai/gpt-4o`, people do not. */
function readId(exchange: Exchange): void {
  const start = exchange.client.endpoint.path.length + 1;
  id.clear();
  decodePath(PATH.pointer + start, lengthWithoutQuery(PATH) - start, id);
}

/** Appends the model by any name that the client can use. Returns false if there is none. */
function writeModel(exchange: Exchange, config: Config): bool {
  const route = allowedRoute(exchange, config, id);
  if (route < 0 || route >= config.routes.length) return false;
  const target = config.routes[route].targets[0].name;
  const owner = target.substring(0, target.indexOf("/"));
  exchange.client.dialect.writeModel(id.toText(), owner, buffer);
  return true;
}

/** Returns the index of the route that a name stands for, configured or not; -1 if there is none for the client. */
function allowedRoute(exchange: Exchange, config: Config, name: ByteBuffer): i32 {
  const allowed = exchange.client.allowed;
  let route = config.names.get(name.pointer, name.length);
  let model: WildcardModel | null = null;
  if (route < 0) {
    route = config.routeOfOther(name.pointer, name.length);
    model = config.taken;
  }
  if (allowed !== null && !allowed.has(route, model)) route = -1;
  if (model !== null) model.release();
  return route;
}
