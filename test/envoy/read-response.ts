// What a client of each dialect makes of a response.
import type { DialectName } from "../providers/wire.ts";

/** What a client of a dialect has read from a stream. */
export interface StreamSeen {
  text: string;
  /** The dialect's last event came. */
  isFinished: boolean;
  /** The error event that ended it. */
  error?: { type: string; message: string };
}

interface Event {
  type?: string;
  delta?: { text?: string } | string;
  choices?: { delta?: { content?: string } }[];
  error?: { type: string; message: string } | null;
  /** Of the error event of Responses. */
  code?: string;
  message?: string;
}

/** Reads a stream as the dialect's SDK does. Throws at an event that is not of the dialect. */
export function readStream(dialect: DialectName, body: string): StreamSeen {
  const seen: StreamSeen = { text: "", isFinished: false };
  for (const block of body.split("\n\n").slice(0, -1)) {
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (data === undefined) continue;
    if (data === "[DONE]") {
      seen.isFinished = dialect === "chat";
      continue;
    }
    readEvent(dialect, JSON.parse(data) as Event, seen);
  }
  return seen;
}

const LAST_EVENT = { messages: "message_stop", responses: "response.completed" };

function readEvent(dialect: DialectName, data: Event, seen: StreamSeen): void {
  if (data.error !== undefined && data.error !== null) {
    if ((data.type === "error") !== (dialect !== "chat"))
      throw new Error(`an error of the wrong dialect: ${JSON.stringify(data)}`);
    seen.error = data.error;
  } else if (dialect === "responses" && data.type === "error") {
    seen.error = { type: data.code ?? "", message: data.message ?? "" };
  } else if (dialect === "chat") {
    if (data.choices === undefined) throw new Error(`no chunk: ${JSON.stringify(data)}`);
    seen.text += data.choices[0]?.delta?.content ?? "";
  } else {
    if (data.type === undefined) throw new Error(`no event: ${JSON.stringify(data)}`);
    seen.text += (typeof data.delta === "string" ? data.delta : data.delta?.text) ?? "";
    if (data.type === LAST_EVENT[dialect]) seen.isFinished = true;
  }
}

interface Complete {
  choices?: { message: { content: string } }[];
  content?: { text: string }[];
  output?: { content: { text: string }[] }[];
}

/** The text of a complete response in that dialect. */
export function readComplete(dialect: DialectName, body: string): string {
  const response = JSON.parse(body) as Complete;
  const text = {
    chat: response.choices?.[0]?.message.content,
    messages: response.content?.[0]?.text,
    responses: response.output?.[0]?.content[0]?.text,
  }[dialect];
  if (text === undefined) throw new Error(`no response in ${dialect}: ${body}`);
  return text;
}
