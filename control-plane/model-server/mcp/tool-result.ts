// What a tool call returns: the API's response, or a sentence that states what failed and what to do.
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { CallResult } from "./call-target.ts";

type Failure = Extract<CallResult, { kind: "failure" }>;

export function toolResult(result: CallResult): CallToolResult {
  if (result.kind === "failure") return toolError(failureText(result));
  const json = parsed(result.text);
  return {
    content: [{ type: "text", text: result.text }],
    ...(json === undefined ? {} : { structuredContent: json }),
  };
}

export function toolError(message: string): CallToolResult {
  return { content: [{ type: "text", text: message }], isError: true };
}

/** Returns the sentence of a failed call, with what an agent can do about it. */
function failureText({ status, message, mayHaveActed }: Failure): string {
  const failed = message.replace(/ Retry later\.$/, "");
  if (status >= 500 && mayHaveActed)
    return `${failed} It may have acted already: check that before you call it again.`;
  if (status >= 500) return `${failed} Call it again later.`;
  if (/\b(?:use a different|list the tools|retry after|retry in|send the)\b/i.test(message))
    return message;
  if (status === 401 || status === 403)
    return `${failed} It does not accept the gateway's credential: ask the operator of the gateway.`;
  return status === 429
    ? `${failed} Wait before you call it again.`
    : `${failed} Check the arguments.`;
}

/** The value of a JSON text. Text alone, such as a number, is not structured. */
function parsed(text: string): CallToolResult["structuredContent"] {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
