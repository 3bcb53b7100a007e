// Begins the messages of a chat completions request, for models that accept none of the user directly after tool results.
import { RequestLimits } from "../../../../hub/request/request-report";
import { ByteBuffer, constant } from "../../../../bytes/text/bytes";
import { separate } from "../../write-values";

/** What stands between tool results and the next message of the user. */
export const BETWEEN = constant('{"role":"assistant","content":"(I read the results.)"},');

let isAfterTool: bool = false;

/** Before the first message. */
export function beginMessages(): void {
  isAfterTool = false;
}

export function beginToolMessage(out: ByteBuffer): void {
  separate(out);
  isAfterTool = true;
}

export function beginAssistantMessage(out: ByteBuffer): void {
  separate(out);
  isAfterTool = false;
}

/** Of the user or the system. */
export function beginMessage(limits: RequestLimits, out: ByteBuffer): void {
  separate(out);
  if (isAfterTool && !limits.supportsUserAfterTool) out.span(BETWEEN);
  isAfterTool = false;
}
