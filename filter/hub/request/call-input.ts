// The arguments of a tool call, for dialects that have them as an object instead of a text.
import { scan, SCAN_EMPTY, SCAN_OK } from "../../bytes/json/scan";
import { KIND_NULL, scratchTape } from "../../bytes/json/tape";
import { escape, unescape } from "../../bytes/json/text";
import { ByteBuffer } from "../../bytes/text/bytes";
import { writeCustomInput } from "./custom-tools";
import { Block, FLAG_CUSTOM, FLAG_STRING } from "./request";
import { RequestReport } from "./request-report";

const argumentsTape = scratchTape();

/**
 * Writes the arguments as an object. Anything but a JSON object is wrapped as Anthropic advises: a model's mistake must not
 * make the rest of the conversation fail.
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/fine-grained-tool-streaming
 */
export function writeCallInput(block: Block, out: ByteBuffer, report: RequestReport): void {
  if ((block.flags & FLAG_CUSTOM) != 0) {
    writeCustomInput(block, out);
    return;
  }
  const start = out.length;
  if ((block.flags & FLAG_STRING) != 0) unescape(block.text, block.textLength, out);
  else out.bytes(block.text, block.textLength);
  out.reserve(0);
  const code = scan(argumentsTape, out.pointer + start, out.length - start);
  if (code == SCAN_OK && argumentsTape.isObject(0)) {
    // Removes white space around the object.
    const from = argumentsTape.start(0);
    const size = argumentsTape.size(0);
    if (from > 0) memory.copy(out.pointer + start, out.pointer + start + from, size);
    out.length = start + size;
    return;
  }
  const isNothing = code == SCAN_EMPTY || (code == SCAN_OK && argumentsTape.kind(0) == KIND_NULL);
  out.length = start;
  if (isNothing) {
    out.text("{}");
    return;
  }
  if (report.isStrict) report.drop(report.paths.arguments);
  out.text('{"INVALID_JSON":"');
  if ((block.flags & FLAG_STRING) != 0) out.bytes(block.text, block.textLength);
  else escape(block.text, block.textLength, out);
  out.text('"}');
}
