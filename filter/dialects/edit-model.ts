// Which model a body asks for, in either dialect: the one edit that both share.
import { Edits } from "../bytes/json/edit";
import { Tape } from "../bytes/json/tape";
import { constant, sameBytes, Span } from "../bytes/text/bytes";

const MODEL = constant("model");
const MODEL_MEMBER = constant('"model":');
const COMMA = constant(",");

/** Sets every `model` there is: whichever of several the provider reads, it is the one that was chosen. */
export function setModel(tape: Tape, model: Span, edits: Edits): void {
  const end = tape.next(0);
  let found = false;
  for (let key = tape.first(0); key < end; key = tape.next(key + 1)) {
    if (!tape.equals(key, MODEL)) continue;
    found = true;
    const from = tape.outerStart(key + 1);
    const to = tape.outerEnd(key + 1);
    // Most clients say the provider's own name: then the body passes as it is, and nothing has to be written.
    if (!sameBytes(tape.base + from, to - from, model.pointer, model.length))
      edits.replace(from, to, model);
  }
  if (found) return;
  // A hint header can choose the model of a body that names none.
  edits.append(MODEL_MEMBER);
  edits.append(model);
  if (!tape.isEmpty(0)) edits.append(COMMA);
  edits.insertAppended(tape.start(0) + 1);
}
