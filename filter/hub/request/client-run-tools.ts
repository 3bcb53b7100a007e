// Tools that Anthropic's models know by their type and that the client runs: at other models they are functions with the schema that
// Anthropic documents, so that the client gets the same calls.
import { startsWith } from "../../bytes/text/at";
import { NO_NODE, Tape } from "../../bytes/json/tape";
import { constant, Span } from "../../bytes/text/bytes";

@unmanaged
class ClientRunTool {
  constructor(
    /** The beginning of its types, which end in a date. */
    public type: Span,
    public description: Span,
    public schema: Span,
  ) {}
}

const PATH_OPTIONS =
  '"path":{"type":"string"},"file_text":{"type":"string"},"old_str":{"type":"string"},"new_str":{"type":"string"},' +
  '"insert_line":{"type":"integer"},"insert_text":{"type":"string"},"view_range":{"type":"array","items":{"type":"integer"}}';

/**
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/bash-tool
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/text-editor-tool
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/memory-tool
 */
const TOOLS: StaticArray<ClientRunTool> = [
  new ClientRunTool(
    constant("bash_"),
    constant(
      "Runs a command in a bash session that persists between calls, or restarts the session.",
    ),
    constant(
      '{"type":"object","properties":{"command":{"type":"string"},"restart":{"type":"boolean"}}}',
    ),
  ),
  new ClientRunTool(
    constant("text_editor_"),
    constant(
      "Views, creates and edits text files: view (view_range), create (file_text), str_replace (old_str, new_str), insert (insert_text after insert_line), undo_edit.",
    ),
    constant(
      '{"type":"object","properties":{"command":{"type":"string","enum":["view","create","str_replace","insert","undo_edit"]},' +
        PATH_OPTIONS +
        '},"required":["command","path"]}',
    ),
  ),
  new ClientRunTool(
    constant("memory_"),
    constant(
      "Stores and reads memory files below /memories: view (view_range), create (file_text), str_replace (old_str, new_str), insert (insert_text after insert_line), delete, rename (old_path, new_path).",
    ),
    constant(
      '{"type":"object","properties":{"command":{"type":"string","enum":["view","create","str_replace","insert","delete","rename"]},' +
        PATH_OPTIONS +
        ',"old_path":{"type":"string"},"new_path":{"type":"string"}},"required":["command"]}',
    ),
  ),
];

/** Returns the tool that a type names, or null. */
export function clientRunTool(tape: Tape, type: u32): ClientRunTool | null {
  if (type == NO_NODE) return null;
  for (let i = 0; i < TOOLS.length; i++) {
    const tool = unchecked(TOOLS[i]);
    if (startsWith(tape.pointer(type), tape.size(type), tool.type)) return tool;
  }
  return null;
}
