// The form of the current request: its `model` fields are found with the body, and set with the choice of the target.
import { Form } from "../bytes/multipart";
import { Edits } from "../bytes/json/edit";
import { startsWithIgnoringCase } from "../bytes/text/at";
import { constant, Span } from "../bytes/text/bytes";

/** One for all requests: valid in the callback that has read it. */
const form = new Form();
const delimiter = new Span(0, 0);
const model = new Span(0, 0);

export function isFormType(type: Span): bool {
  return startsWithIgnoringCase(type.pointer, type.length, constant("multipart/form-data"));
}

/** Finds the fields of a body. Returns false if it is not a form with this content type. */
export function readForm(type: Span, pointer: usize, length: u32): bool {
  return form.readBoundary(type) && form.read(pointer, length, constant("model"));
}

/** Returns the model of the form whose body is at `base`: the last one, as most parsers do; null if it has none. */
export function formModel(base: usize): Span | null {
  if (form.count == 0) return null;
  const field = form.fields[form.count - 1];
  model.pointer = base + field.start;
  model.length = field.end - field.start;
  return model;
}

/** Sets every `model` field; adds one if there is none. */
export function setFormModel(name: Span, edits: Edits): void {
  for (let i = 0; i < form.count; i++)
    edits.replace(form.fields[i].start, form.fields[i].end, name);
  if (form.count > 0) return;
  edits.append(form.firstDelimiter(delimiter));
  edits.append(constant('\r\nContent-Disposition: form-data; name="model"\r\n\r\n'));
  edits.append(name);
  edits.append(constant("\r\n"));
  edits.insertAppended(0);
}
