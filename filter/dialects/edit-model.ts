// Sets the model of a body that keeps its dialect.
import { Edits } from "../bytes/json/edit";
import { Tape } from "../bytes/json/tape";
import { constant, sameBytes, Span } from "../bytes/text/bytes";

/** Sets every `model` member: whichever of several a provider reads, it is the chosen one. */
export function setModel(tape: Tape, model: Span, edits: Edits): void {
  const end = tape.next(0);
  let found = false;
  for (let key = tape.first(0); key < end; key = tape.next(key + 1)) {
    if (!tape.equals(key, constant("model"))) continue;
    found = true;
    const from = tape.outerStart(key + 1);
    const to = tape.outerEnd(key + 1);
    // Most clients send the provider's name: then the body passes unchanged.
    if (!sameBytes(tape.base + from, to - from, model.pointer, model.length))
      edits.replace(from, to, model);
  }
  if (found) return;
  // A hint header can choose the model of a body that names none.
  edits.append(constant('"model":'));
  edits.append(model);
  if (!tape.isEmpty(0)) edits.append(constant(","));
  edits.insertAppended(tape.start(0) + 1);
}
