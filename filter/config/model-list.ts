// The models of a response to GET /v1/models, for all clients or for one key.
import { constant } from "../bytes/text/bytes";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { bytesOf, stringMember } from "./document";

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

export function readModelList(tape: Tape, list: u32): ModelList {
  const models = new ModelList();
  const end = tape.next(list);
  let count = 0;
  for (let node = tape.first(list); node < end; node = tape.next(node)) {
    const id = stringMember(tape, node, constant("id"));
    const owner = stringMember(tape, node, constant("owner"));
    if (count < MAX_NAMES_SHOWN) models.text += (count == 0 ? "" : ", ") + id;
    count++;
    const names = tape.member(node, constant("names"));
    if (names == NO_NODE) {
      models.ids.push(id);
      models.owners.push(owner);
      continue;
    }
    const stop = tape.next(names);
    for (let item = tape.first(names); item < stop; item = tape.next(item)) {
      const name = bytesOf(tape, item);
      models.takenIds.push(owner + "/" + String.UTF8.decodeUnsafe(name.pointer, name.length));
      models.takenOwners.push(owner);
    }
  }
  if (count > MAX_NAMES_SHOWN)
    models.text += " (" + (count - MAX_NAMES_SHOWN).toString() + " more: GET /v1/models)";
  return models;
}
