// Streams in the three formats of clients, made of parts of texts, and what a client makes of them.
import type { Dialect } from "./guarded-response.ts";

/** What the texts of a response are: a client joins the parts of each. */
export const TEXT_KINDS = ["text", "reasoning", "arguments"] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

/** A part of a text, as a model writes it. */
export interface Part {
  kind: TextKind;
  text: string;
}

type Event = Record<string, unknown>;

/** Writes a value as JSON; a provider may write characters as escapes. */
export type Encode = (value: unknown) => string;

/** `é` and `<` as escapes, as encoders for HTML and for ASCII write them. */
export const escaping: Encode = (value) =>
  JSON.stringify(value).replace(
    /[<>\u0080-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** A stream with the parts in their order; texts of one kind that follow each other are one text. */
export function streamOf(
  dialect: Dialect,
  parts: readonly Part[],
  encode: Encode = JSON.stringify,
): string {
  if (dialect === "openai_chat") return chatStream(parts, encode);
  const events = dialect === "anthropic_messages" ? messagesEvents(parts) : responsesEvents(parts);
  return events
    .map((event) => `event: ${String(event["type"])}\ndata: ${encode(event)}\n\n`)
    .join("");
}

function chatStream(parts: readonly Part[], encode: Encode): string {
  const head = {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1700000000,
    model: "m",
  };
  const chunk = (delta: Event, reason: string | null = null): string =>
    `data: ${encode({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }] })}\n\n`;
  let calls = -1;
  const chunks = parts.map(({ kind, text }, index) => {
    if (kind === "text") return chunk({ content: text });
    if (kind === "reasoning") return chunk({ reasoning_content: text });
    const isNew = parts[index - 1]?.kind !== kind;
    if (isNew) calls++;
    const call = isNew
      ? {
          index: calls,
          id: `call_${calls}`,
          type: "function",
          function: { name: "write", arguments: text },
        }
      : { index: calls, function: { arguments: text } };
    return chunk({ tool_calls: [call] });
  });
  const usage = {
    ...head,
    choices: [],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
  return [
    chunk({ role: "assistant", content: "" }),
    ...chunks,
    chunk({}, calls < 0 ? "stop" : "tool_calls"),
    `data: ${encode(usage)}\n\n`,
    "data: [DONE]\n\n",
  ].join("");
}

/** Returns the runs of parts of one kind. */
export function runsOf(parts: readonly Part[]): Part[][] {
  const runs: Part[][] = [];
  for (const part of parts) {
    const last = runs.at(-1);
    if (last?.[0]?.kind === part.kind) last.push(part);
    else runs.push([part]);
  }
  return runs;
}

function messagesEvents(parts: readonly Part[]): Event[] {
  const forms = {
    text: [{ type: "text", text: "" }, "text_delta", "text"],
    reasoning: [{ type: "thinking", thinking: "", signature: "" }, "thinking_delta", "thinking"],
    arguments: [
      { type: "tool_use", id: "toolu_1", name: "write", input: {} },
      "input_json_delta",
      "partial_json",
    ],
  } as const;
  const blocks = runsOf(parts).flatMap((run, index): Event[] => {
    const [block, type, member] = forms[run[0]?.kind ?? "text"];
    return [
      { type: "content_block_start", index, content_block: block },
      ...run.map(({ text }) => ({
        type: "content_block_delta",
        index,
        delta: { type, [member]: text },
      })),
      { type: "content_block_stop", index },
    ];
  });
  return [
    {
      type: "message_start",
      message: { id: "msg_1", type: "message", role: "assistant", content: [], model: "m" },
    },
    { type: "ping" },
    ...blocks,
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 5 },
    },
    { type: "message_stop" },
  ];
}

function responsesEvents(parts: readonly Part[]): Event[] {
  const output: Event[] = [];
  const events = runsOf(parts).flatMap((run, index): Event[] => {
    const kind = run[0]?.kind ?? "text";
    const whole = run.map(({ text }) => text).join("");
    const place = { item_id: `item_${index}`, output_index: index };
    const [type, item, more, member] = itemOf(kind, index, whole);
    output.push(item);
    return [
      {
        type: "response.output_item.added",
        output_index: index,
        item: { ...item, status: "in_progress" },
      },
      ...run.map(({ text }) => ({
        type: `response.${type}.delta`,
        ...place,
        ...more,
        delta: text,
      })),
      { type: `response.${type}.done`, ...place, ...more, [member]: whole },
      { type: "response.output_item.done", output_index: index, item },
    ];
  });
  const response = { id: "resp_1", object: "response", created_at: 1700000000, model: "m" };
  return [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    ...events,
    { type: "response.completed", response: { ...response, status: "completed", output } },
  ].map((event, number) => ({ ...event, sequence_number: number }));
}

function itemOf(kind: TextKind, index: number, whole: string): [string, Event, Event, string] {
  const id = `item_${index}`;
  if (kind === "text") {
    const content = [{ type: "output_text", text: whole, annotations: [], logprobs: [] }];
    return [
      "output_text",
      { type: "message", id, role: "assistant", content },
      { content_index: 0, logprobs: [] },
      "text",
    ];
  }
  if (kind === "reasoning") {
    const summary = [{ type: "summary_text", text: whole }];
    return [
      "reasoning_summary_text",
      { type: "reasoning", id, summary },
      { summary_index: 0 },
      "text",
    ];
  }
  const call = { type: "function_call", id, call_id: "call_1", name: "write", arguments: whole };
  return ["function_call_arguments", call, {}, "arguments"];
}

/** What a client has of a stream in the end. */
export interface Received {
  /** The texts in the order in which they began: runs of the same kind are one. */
  texts: Part[];
  /** Whole texts that repeat those of the deltas. */
  repeated: string[];
  /** All events, without texts of deltas and numbers. */
  others: string[];
  numbers: number[];
}

/** Reads a stream strictly: every event is one line of JSON, and nothing of a text comes after its end. */
export function receive(dialect: Dialect, stream: string): Received {
  const received: Received = { texts: [], repeated: [], others: [], numbers: [] };
  if (!stream.endsWith("\n\n")) throw new Error("the stream ends inside of an event");
  for (const event of stream.slice(0, -2).split("\n\n")) {
    const data = event.replace(/^event: .*\n/, "").replace(/^data: /, "");
    if (data.startsWith(":")) continue;
    if (data === "[DONE]") received.others.push(data);
    else readEvent(dialect, JSON.parse(data) as Event, received);
  }
  return received;
}

function add(received: Received, kind: TextKind, text: string): void {
  const last = received.texts.at(-1);
  if (last?.kind === kind) last.text += text;
  else received.texts.push({ kind, text });
}

function readEvent(dialect: Dialect, event: Event, received: Received): void {
  const { sequence_number: number, ...rest } = event;
  if (typeof number === "number") received.numbers.push(number);
  if (dialect === "openai_chat") readChunk(rest, received);
  else if (dialect === "anthropic_messages") readMessagesEvent(rest, received);
  else readResponsesEvent(rest, received);
}

interface ChatDelta {
  content?: string;
  reasoning_content?: string;
  tool_calls?: { index: number; id?: string; function: { arguments: string } }[];
}

function readChunk(chunk: Event, received: Received): void {
  const { choices } = chunk as { choices: { delta: ChatDelta; finish_reason: string | null }[] };
  const { delta = {}, finish_reason: reason } = choices[0] ?? {};
  if (delta.content) add(received, "text", delta.content);
  if (delta.reasoning_content) add(received, "reasoning", delta.reasoning_content);
  for (const { function: called, index, id } of delta.tool_calls ?? []) {
    add(received, "arguments", called.arguments);
    received.others.push(JSON.stringify({ index, id }));
  }
  if (typeof reason === "string" || choices.length === 0)
    received.others.push(JSON.stringify(chunk));
}

function readMessagesEvent(event: Event, received: Received): void {
  if (event["type"] !== "content_block_delta") {
    received.others.push(JSON.stringify(event));
    return;
  }
  const { text, thinking, partial_json: json } = event["delta"] as Record<string, string>;
  if (text !== undefined) add(received, "text", text);
  if (thinking !== undefined) add(received, "reasoning", thinking);
  if (json !== undefined) add(received, "arguments", json);
}

function readResponsesEvent(event: Event, received: Received): void {
  const type = String(event["type"]);
  if (type.endsWith(".delta")) {
    const isReasoning = type.includes("reasoning");
    const kind = isReasoning ? "reasoning" : type.includes("arguments") ? "arguments" : "text";
    add(received, kind, String(event["delta"]));
    return;
  }
  if (type.endsWith(".done") && !type.includes("output_item"))
    received.repeated.push(
      String(event["text"] ?? event["arguments"] ?? (event["part"] as Event)["text"]),
    );
  received.others.push(JSON.stringify(event));
}
