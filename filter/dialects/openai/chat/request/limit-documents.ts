// Gives the documents in a body that keeps its dialect the form of Mistral: `document_url` with a data URL. Nothing is lost, so
// nothing is listed. @see https://docs.mistral.ai/capabilities/document_ai/document_qna
import { Edits } from "../../../../bytes/json/edit";
import { Tape } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";

const FILE = constant("file");
export const DOCUMENT_URL = constant('{"type":"document_url","document_url":"');
const END = constant('"}');

const value = new Span(0, 0);

/** `list`: the messages. */
export function limitDocuments(tape: Tape, list: u32, edits: Edits): void {
  if (!tape.isArray(list)) return;
  const end = tape.next(list);
  for (let message = tape.first(list); message < end; message = tape.next(message)) {
    const content = tape.member(message, constant("content"));
    if (!tape.isArray(content)) continue;
    const last = tape.next(content);
    for (let part = tape.first(content); part < last; part = tape.next(part)) {
      if (tape.equals(tape.member(part, constant("type")), FILE)) replacePart(tape, part, edits);
    }
  }
}

function replacePart(tape: Tape, part: u32, edits: Edits): void {
  const file = tape.member(part, FILE);
  const data = tape.member(file, constant("file_data"));
  if (!tape.isString(data)) return;
  const name = tape.member(file, constant("filename"));
  edits.append(DOCUMENT_URL);
  edits.append(insideOf(tape, data));
  if (tape.isString(name)) {
    edits.append(constant('","document_name":"'));
    edits.append(insideOf(tape, name));
  }
  edits.append(END);
  edits.replaceAppended(tape.outerStart(part), tape.outerEnd(part));
}

function insideOf(tape: Tape, node: u32): Span {
  value.pointer = tape.pointer(node);
  value.length = tape.size(node);
  return value;
}
