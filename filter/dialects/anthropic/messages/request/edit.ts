// Edits of a messages body that keeps its dialect. Every other byte stays.
import { Edits } from "../../../../bytes/json/edit";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";
import { attributionIn } from "./attribution";

const COMMA = constant(",");
const QUOTE = constant('"');

/**
 * Puts the configured system prompt (the inside of a JSON string) before the client's; both are kept.
 * `system` is a string or a list of text blocks (https://docs.anthropic.com/en/api/messages).
 */
export function addSystemPrompt(tape: Tape, prompt: Span, edits: Edits): void {
  const system = tape.member(0, constant("system"));
  if (tape.isString(system)) {
    edits.append(prompt);
    if (tape.size(system) > 0) edits.append(constant("\\n\\n"));
    edits.insertAppended(tape.start(system));
  } else if (tape.isArray(system)) {
    // Anthropic takes the attribution block out of the prompt only where it is the first.
    const attribution = attributionIn(tape);
    if (attribution != NO_NODE) {
      edits.append(constant(',{"type":"text","text":"'));
      edits.append(prompt);
      edits.append(constant('"}'));
      edits.insertAppended(tape.outerEnd(attribution));
      return;
    }
    edits.append(constant('{"type":"text","text":"'));
    edits.append(prompt);
    edits.append(constant('"}'));
    if (!tape.isEmpty(system)) edits.append(COMMA);
    edits.insertAppended(tape.start(system) + 1);
  } else if (system == NO_NODE) {
    edits.append(constant('"system":"'));
    edits.append(prompt);
    edits.append(QUOTE);
    if (!tape.isEmpty(0)) edits.append(COMMA);
    edits.insertAppended(tape.start(0) + 1);
  } else if (!tape.isPresent(system)) {
    edits.append(QUOTE);
    edits.append(prompt);
    edits.append(QUOTE);
    edits.replaceAppended(tape.start(system), tape.end(system));
  }
}
