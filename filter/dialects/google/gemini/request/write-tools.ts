// Writes the tools: one list of function declarations.
// @see https://ai.google.dev/api/caching#FunctionDeclaration
import { CHOICE_NONE, HubRequest, Tool } from "../../../../hub/request/request";
import { RequestLimits, RequestReport } from "../../../../hub/request/request-report";
import { writeTool, writeToolHead } from "../../../../hub/request/request-writing";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { ByteBuffer, constant } from "../../../../bytes/text/bytes";
import { writeOldSchema } from "./write-old-schema";

const JSON_SCHEMA = constant(',"parametersJsonSchema":');
const OLD_SCHEMA = constant(',"parameters":');

/** Writes the tools that the client allows. Returns whether there is one. */
export function writeTools(
  request: HubRequest,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): bool {
  let count: u32 = 0;
  for (let i: u32 = 0; i < request.tools.count; i++) {
    const tool = request.tool(i);
    if (tool.isAllowed == 0) continue;
    out.span(count++ == 0 ? constant(',"tools":[{"functionDeclarations":[') : constant(","));
    out.text('{"name":');
    writeDeclaration(request.tape, tool, limits, out);
    out.byte(0x7d);
    if (tool.cacheLength > 0) report.drop(report.paths.toolCache);
  }
  if (count == 0) {
    if (request.toolChoice > CHOICE_NONE) report.drop(constant("tool_choice"));
    return false;
  }
  out.text("]}]");
  if (request.forbidsParallelTools) report.drop(report.paths.parallel);
  return true;
}

/** A function without parameters has no schema: Gemini rejects an object without properties. */
function writeDeclaration(tape: Tape, tool: Tool, limits: RequestLimits, out: ByteBuffer): void {
  const properties = tape.member(tool.schema, constant("properties"));
  const isEmpty = tool.schema == NO_NODE || (properties != NO_NODE && tape.isEmpty(properties));
  if (tool.isCustom != 0) {
    writeTool(tape, tool, limits.supportsJsonSchema ? JSON_SCHEMA : OLD_SCHEMA, out);
  } else if (isEmpty || !limits.supportsJsonSchema) {
    writeToolHead(tool, out);
    if (isEmpty) return;
    out.span(OLD_SCHEMA);
    writeOldSchema(tape, tool.schema, out);
  } else {
    // Whether calls must match is one setting of the whole request.
    const isStrict = tool.isStrict;
    tool.isStrict = 0;
    writeTool(tape, tool, JSON_SCHEMA, out);
    tool.isStrict = isStrict;
  }
}
