// Streams in the manner of Bedrock's ConverseStream, and the message that a messages client has to get.
// Shapes after botocore 1.44.5; contents are our own.
import { eventFrame, exceptionFrame, frame } from "../../providers/event-stream.ts";

type Json = Record<string, unknown>;

export interface ConverseCase {
  name: string;
  stream: Buffer;
  /** The same as a complete response. */
  whole: Json;
  content: Json[];
  stopReason: string;
  stopSequence?: string;
  finishReason: string;
  dropped?: number;
}

let padding = 0;

/** An event with padding of another length each time, as Bedrock sends it. */
export function event(type: string, payload: Json): Buffer {
  return eventFrame(type, { ...payload, p: "abcdefghijklmnop".slice(0, 1 + (padding++ % 16)) });
}

export const START = event("messageStart", { role: "assistant" });

export function delta(index: number, value: Json): Buffer {
  return event("contentBlockDelta", { contentBlockIndex: index, delta: value });
}

export function toolStart(index: number, id: string, name: string): Buffer {
  const start = { toolUse: { toolUseId: id, name } };
  return event("contentBlockStart", { contentBlockIndex: index, start });
}

export function blockStop(index: number): Buffer {
  return event("contentBlockStop", { contentBlockIndex: index });
}

export function messageStop(stopReason: string, more: Json = {}): Buffer {
  return event("messageStop", { stopReason, ...more });
}

const USAGE = {
  inputTokens: 15,
  outputTokens: 12,
  totalTokens: 42,
  cacheReadInputTokens: 10,
  cacheWriteInputTokens: 5,
};

export const METADATA = event("metadata", { usage: USAGE, metrics: { latencyMs: 321 } });

export function text(index: number, ...parts: string[]): Buffer[] {
  return [...parts.map((part) => delta(index, { text: part })), blockStop(index)];
}

function tool(index: number, id: string, name: string, ...parts: string[]): Buffer[] {
  const deltas = parts.map((part) => delta(index, { toolUse: { input: part } }));
  return [toolStart(index, id, name), ...deltas, blockStop(index)];
}

function reasoning(index: number, ...values: Json[]): Buffer[] {
  const deltas = values.map((value) => delta(index, { reasoningContent: value }));
  return [...deltas, blockStop(index)];
}

function stream(blocks: Buffer[], stopReason: string, more: Json = {}): Buffer {
  return Buffer.concat([START, ...blocks, messageStop(stopReason, more), METADATA]);
}

function whole(content: Json[], stopReason: string, more: Json = {}): Json {
  const message = { role: "assistant", content };
  return { metrics: { latencyMs: 321 }, output: { message }, stopReason, usage: USAGE, ...more };
}

export const CONVERSE_STREAMS: ConverseCase[] = [
  {
    name: "a text in pieces",
    stream: stream(text(0, "Hel", "lo", ' "né" 你 😀\n', "!"), "end_turn"),
    whole: whole([{ text: 'Hello "né" 你 😀\n!' }], "end_turn"),
    content: [{ type: "text", text: 'Hello "né" 你 😀\n!' }],
    stopReason: "end_turn",
    finishReason: "stop",
  },
  {
    name: "signed and redacted reasoning, a text and parallel calls, one without arguments",
    stream: stream(
      [
        ...reasoning(0, { text: "Let me " }, { text: "see." }, { signature: "c2ln" }),
        ...reasoning(1, { redactedContent: "ZW5j" }),
        ...text(2, "I look."),
        ...tool(3, "tooluse_a", "weather", '{"city":', '"Paris"}'),
        ...tool(4, "tooluse_b", "time"),
      ],
      "tool_use",
    ),
    whole: whole(
      [
        { reasoningContent: { reasoningText: { text: "Let me see.", signature: "c2ln" } } },
        { reasoningContent: { redactedContent: "ZW5j" } },
        { text: "I look." },
        { toolUse: { toolUseId: "tooluse_a", name: "weather", input: { city: "Paris" } } },
        { toolUse: { toolUseId: "tooluse_b", name: "time", input: {} } },
      ],
      "tool_use",
    ),
    content: [
      { type: "thinking", thinking: "Let me see.", signature: "c2ln" },
      { type: "redacted_thinking", data: "ZW5j" },
      { type: "text", text: "I look." },
      { type: "tool_use", id: "tooluse_a", name: "weather", input: { city: "Paris" } },
      { type: "tool_use", id: "tooluse_b", name: "time", input: {} },
    ],
    stopReason: "tool_use",
    finishReason: "tool_calls",
  },
  {
    name: "unsigned reasoning",
    stream: stream([...reasoning(0, { text: "Hm." }), ...text(1, "Yes.")], "end_turn"),
    whole: whole(
      [{ reasoningContent: { reasoningText: { text: "Hm." } } }, { text: "Yes." }],
      "end_turn",
    ),
    content: [
      { type: "thinking", thinking: "Hm." },
      { type: "text", text: "Yes." },
    ],
    stopReason: "end_turn",
    finishReason: "stop",
  },
  {
    name: "interleaved blocks, and a call without an id",
    stream: stream(
      [
        toolStart(0, "", "f"),
        toolStart(1, "tooluse_b", "g"),
        delta(0, { toolUse: { input: '{"a"' } }),
        delta(1, { toolUse: { input: '{"b":2}' } }),
        delta(0, { toolUse: { input: ":1}" } }),
        blockStop(1),
        blockStop(0),
      ],
      "tool_use",
    ),
    whole: whole(
      [
        { toolUse: { toolUseId: "", name: "f", input: { a: 1 } } },
        { toolUse: { toolUseId: "tooluse_b", name: "g", input: { b: 2 } } },
      ],
      "tool_use",
    ),
    content: [
      { type: "tool_use", name: "f", input: { a: 1 } },
      { type: "tool_use", id: "tooluse_b", name: "g", input: { b: 2 } },
    ],
    stopReason: "tool_use",
    finishReason: "tool_calls",
  },
  {
    name: "a stop sequence",
    stream: stream(text(0, "a"), "stop_sequence", {
      additionalModelResponseFields: { delta: { stop_sequence: "END" } },
    }),
    whole: whole([{ text: "a" }], "stop_sequence", {
      additionalModelResponseFields: { stop_sequence: "END" },
    }),
    content: [{ type: "text", text: "a" }],
    stopReason: "stop_sequence",
    stopSequence: "END",
    finishReason: "stop",
  },
  {
    name: "a stop sequence that is not named",
    stream: stream(text(0, "a"), "stop_sequence"),
    whole: whole([{ text: "a" }], "stop_sequence"),
    content: [{ type: "text", text: "a" }],
    stopReason: "end_turn",
    finishReason: "stop",
  },
  ...[
    { reason: "max_tokens", stopReason: "max_tokens", finishReason: "length" },
    { reason: "content_filtered", stopReason: "refusal", finishReason: "content_filter" },
    { reason: "guardrail_intervened", stopReason: "refusal", finishReason: "content_filter" },
    {
      reason: "model_context_window_exceeded",
      stopReason: "model_context_window_exceeded",
      finishReason: "length",
    },
    { reason: "something_new", stopReason: "end_turn", finishReason: "stop", dropped: 1 },
  ].map(({ reason, ...rest }) => ({
    name: `the reason ${reason}`,
    stream: stream(text(0, "a"), reason),
    whole: whole([{ text: "a" }], reason),
    content: [{ type: "text", text: "a" }],
    ...rest,
  })),
  {
    name: "citations",
    stream: stream(
      [delta(0, { text: "a" }), delta(0, { citation: { title: "t" } }), blockStop(0)],
      "end_turn",
    ),
    whole: whole(
      [{ citationsContent: { content: [{ text: "a" }], citations: [{ title: "t" }] } }],
      "end_turn",
    ),
    content: [{ type: "text", text: "a" }],
    stopReason: "end_turn",
    finishReason: "stop",
    dropped: 1,
  },
  {
    name: "a tool that the provider runs",
    stream: stream(
      [
        event("contentBlockStart", {
          contentBlockIndex: 0,
          start: { toolUse: { toolUseId: "s", name: "nova_grounding", type: "server_tool_use" } },
        }),
        delta(0, { toolUse: { input: "{}" } }),
        blockStop(0),
        ...text(1, "a"),
      ],
      "end_turn",
    ),
    whole: whole(
      [
        {
          toolUse: {
            toolUseId: "s",
            name: "nova_grounding",
            type: "server_tool_use",
            input: {},
          },
        },
        { text: "a" },
      ],
      "end_turn",
    ),
    content: [{ type: "text", text: "a" }],
    stopReason: "end_turn",
    finishReason: "stop",
    dropped: 1,
  },
];

export interface FailedConverseCase {
  name: string;
  stream: Buffer;
  status: number;
  message: RegExp;
  /** Whether a text came before the error. */
  hasBegun: boolean;
}

const BEGINNING = Buffer.concat([START, delta(0, { text: "a" })]);
const exceptions = [
  { type: "throttlingException", status: 429 },
  { type: "serviceUnavailableException", status: 503 },
  { type: "internalServerException", status: 500 },
  { type: "modelTimeoutException", status: 504 },
  { type: "modelStreamErrorException", status: 502 },
  { type: "validationException", status: 400 },
  { type: "somethingNewException", status: 502 },
];

/** A frame whose last byte is wrong. */
function broken(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(copy.length - 1) ^ 1, copy.length - 1);
  return copy;
}

export const FAILED_CONVERSE_STREAMS: FailedConverseCase[] = [
  ...exceptions.flatMap(({ type, status }) => {
    const exception = exceptionFrame(type, { message: `It is a ${type}.` });
    const message = new RegExp(`It is a ${type}\\.`);
    return [
      { name: `${type} first`, stream: exception, status, message, hasBegun: false },
      {
        name: `${type} after a text`,
        stream: Buffer.concat([BEGINNING, exception]),
        status,
        message,
        hasBegun: true,
      },
    ];
  }),
  {
    name: "an exception without a message",
    stream: exceptionFrame("throttlingException", ""),
    status: 429,
    message: /429/,
    hasBegun: false,
  },
  {
    name: "an error of the transport",
    stream: frame({
      ":message-type": "error",
      ":error-code": "InternalError",
      ":error-message": "It broke.",
    }),
    status: 502,
    message: /It broke\./,
    hasBegun: false,
  },
  {
    name: "a wrong checksum",
    stream: Buffer.concat([BEGINNING, broken(delta(0, { text: "b" })), METADATA]),
    status: 502,
    message: /checksum/,
    hasBegun: true,
  },
  {
    name: "an end inside a frame",
    stream: Buffer.concat([BEGINNING, METADATA.subarray(0, 30)]),
    status: 502,
    message: /inside a frame/,
    hasBegun: true,
  },
  {
    name: "an end without messageStop",
    stream: Buffer.concat([BEGINNING, blockStop(0)]),
    status: 502,
    message: /before its response was finished/,
    hasBegun: true,
  },
  {
    name: "nothing",
    stream: Buffer.alloc(0),
    status: 502,
    message: /without a response/,
    hasBegun: false,
  },
  ...["malformed_model_output", "malformed_tool_use"].map((reason) => ({
    name: reason,
    stream: Buffer.concat([BEGINNING, blockStop(0), messageStop(reason), METADATA]),
    status: 502,
    message: /malformed/,
    hasBegun: true,
  })),
  {
    name: "JSON instead of a stream",
    stream: Buffer.from('{"message":"The model is not ready."}'),
    status: 502,
    message: /The model is not ready\./,
    hasBegun: false,
  },
  {
    name: "JSON without output",
    stream: Buffer.from('{"Output":{"__type":"UnknownOperationException"},"Version":"1.0"}'),
    status: 502,
    message: /UnknownOperationException/,
    hasBegun: false,
  },
];
