// The models of a response to GET /v1/models, for all clients or for one key.
import * as members from "../../contract/filter-document";
import { NO_NODE } from "../bytes/json/tape";
import { constant, Span } from "../bytes/text/bytes";
import { Document, textOf } from "./document";

/** Maximum number of names in a message; GET /v1/models lists all of them. */
const MAX_NAMES_SHOWN = 10;

export class ModelList {
  /** Ids and owners, in order. */
  ids: string[] = [];
  owners: string[] = [];
  /** The same of the known models that wildcards take. */
  takenIds: string[] = [];
  takenOwners: string[] = [];
  /** The first names, for a message: "a, b, c (3 more: GET /v1/models)". */
  text: string = "";
}

/** @param member the list */
export function readModelList(from: Document, node: u32, member: Span): ModelList {
  const models = new ModelList();
  const list = from.items(node, member);
  for (let i = 0; i < list.length; i++) {
    const id = from.text(list[i], constant(members.MODEL_ID));
    const owner = from.text(list[i], constant(members.MODEL_OWNER));
    if (i < MAX_NAMES_SHOWN) models.text += (i == 0 ? "" : ", ") + id;
    const names = from.member(list[i], constant(members.MODEL_NAMES));
    if (names == NO_NODE) {
      models.ids.push(id);
      models.owners.push(owner);
      continue;
    }
    const known = from.itemsOf(names);
    for (let j = 0; j < known.length; j++) {
      models.takenIds.push(owner + "/" + textOf(from.tape, known[j]));
      models.takenOwners.push(owner);
    }
  }
  if (list.length > MAX_NAMES_SHOWN)
    models.text += " (" + (list.length - MAX_NAMES_SHOWN).toString() + " more: GET /v1/models)";
  return models;
}
