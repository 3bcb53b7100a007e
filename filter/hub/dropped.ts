// The parts of a response that the client's dialect does not support: counted, and listed for `x-gateway-dropped`.

export const DROPPED_CITATION: i32 = 0;
export const DROPPED_SERVER_TOOL: i32 = 1;
export const DROPPED_LOGPROBS: i32 = 2;
export const DROPPED_AUDIO: i32 = 3;
export const DROPPED_SIGNATURE: i32 = 4;
export const DROPPED_TOOL_ARGUMENTS: i32 = 5;
export const DROPPED_TOOL_CALL: i32 = 6;
export const DROPPED_FINISH_REASON: i32 = 7;
export const DROPPED_BLOCK: i32 = 8;
export const DROPPED_CHOICE: i32 = 9;
/** The repetition of the items at the end of a long stream (Responses). */
export const DROPPED_OUTPUT: i32 = 10;
/** A member of the provider's own beside the message. */
export const DROPPED_MEMBER: i32 = 11;
const KINDS: i32 = 12;

/** How often each kind was dropped in one response. */
export class Dropped {
  /** All kinds together. */
  total: u32 = 0;
  private counts: StaticArray<u32> = new StaticArray<u32>(KINDS);

  add(kind: i32): void {
    this.total++;
    if (kind >= 0 && kind < KINDS) this.counts[kind] += 1;
  }

  count(kind: i32): u32 {
    return kind >= 0 && kind < KINDS ? this.counts[kind] : 0;
  }

  /** Returns what was dropped, for `x-gateway-dropped`: `response.citations,response.audio`. Empty if nothing was. */
  names(): string {
    let names = "";
    for (let kind = 0; kind < KINDS; kind++) {
      if (this.count(kind) == 0) continue;
      if (names.length > 0) names += ",";
      names += "response." + droppedName(kind);
    }
    return names;
  }
}

function droppedName(kind: i32): string {
  if (kind == DROPPED_CITATION) return "citations";
  if (kind == DROPPED_SERVER_TOOL) return "server_tools";
  if (kind == DROPPED_LOGPROBS) return "logprobs";
  if (kind == DROPPED_AUDIO) return "audio";
  if (kind == DROPPED_SIGNATURE) return "reasoning_signatures";
  if (kind == DROPPED_TOOL_ARGUMENTS) return "tool_arguments";
  if (kind == DROPPED_TOOL_CALL) return "tool_calls";
  if (kind == DROPPED_FINISH_REASON) return "finish_reason";
  if (kind == DROPPED_CHOICE) return "choices";
  if (kind == DROPPED_OUTPUT) return "output";
  if (kind == DROPPED_MEMBER) return "members";
  return "content";
}
