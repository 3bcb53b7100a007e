// Reads `logprobsResult` of a candidate: for each token the one that was chosen, and its alternatives.
// @see https://ai.google.dev/api/generate-content#LogprobsResult
import { ResponseSink } from "../../../../hub/response/events";
import { writeValue } from "../../../../hub/request/request-writing";
import { KIND_NUMBER, NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant, scratchBuffer } from "../../../../bytes/text/bytes";

const entries = scratchBuffer();

/** Gives the log probabilities to a sink, as entries of OpenAI's form. Returns whether there are any. */
export function readLogprobs(tape: Tape, result: u32, sink: ResponseSink): bool {
  const chosen = tape.member(result, constant("chosenCandidates"));
  const tops = tape.member(result, constant("topCandidates"));
  if (!tape.isArray(chosen)) return false;
  entries.clear();
  let top = tape.isArray(tops) ? tape.first(tops) : NO_NODE;
  const topEnd = tape.isArray(tops) ? tape.next(tops) : 0;
  const end = tape.next(chosen);
  for (let token = tape.first(chosen); token < end; token = tape.next(token)) {
    const isWritten = writeToken(tape, token);
    if (isWritten) entries.text(',"top_logprobs":[');
    if (top < topEnd) {
      if (isWritten) writeAlternatives(tape, tape.member(top, constant("candidates")));
      top = tape.next(top);
    }
    if (isWritten) entries.text("]}");
  }
  if (entries.length == 0) return false;
  sink.logprobs(entries.pointer, entries.length);
  return true;
}

function writeAlternatives(tape: Tape, list: u32): void {
  if (!tape.isArray(list)) return;
  const start = entries.length;
  const end = tape.next(list);
  for (let token = tape.first(list); token < end; token = tape.next(token)) {
    if (writeToken(tape, token, start)) entries.byte(0x7d);
  }
}

/** Writes the head of an entry, after a comma unless it is the first one from `start` on. Returns whether it has a token. */
function writeToken(tape: Tape, node: u32, start: u32 = 0): bool {
  const token = tape.member(node, constant("token"));
  const probability = tape.member(node, constant("logProbability"));
  if (!tape.isString(token) || tape.kind(probability) != KIND_NUMBER) return false;
  if (entries.length > start) entries.byte(0x2c);
  entries.text('{"token":');
  writeValue(tape, token, entries);
  entries.text(',"logprob":');
  writeValue(tape, probability, entries);
  entries.text(',"bytes":null');
  return true;
}
