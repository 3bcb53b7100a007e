// The models of a response to GET /v1/models, for all clients or for one key.
import { constant } from "../bytes/text/bytes";
import { Tape } from "../bytes/json/tape";
import { stringMember } from "./document";

/** Maximum number of names in a message; GET /v1/models lists all of them. */
const MAX_NAMES_SHOWN = 10;

export class ModelList {
  /** Ids and owners, in order. */
  ids: string[] = [];
  owners: string[] = [];
  /** The first names, for a message: "a, b, c (3 more: GET /v1/models)". */
  text: string = "";
}

export function readModelList(tape: Tape, list: u32): ModelList {
  const models = new ModelList();
  const end = tape.next(list);
  for (let node = tape.first(list); node < end; node = tape.next(node)) {
    models.ids.push(stringMember(tape, node, constant("id")));
    models.owners.push(stringMember(tape, node, constant("owner")));
  }
  const ids = models.ids;
  const shown = min(ids.length, MAX_NAMES_SHOWN);
  for (let i = 0; i < shown; i++) models.text += (i == 0 ? "" : ", ") + ids[i];
  if (ids.length > shown)
    models.text += " (" + (ids.length - shown).toString() + " more: GET /v1/models)";
  return models;
}
