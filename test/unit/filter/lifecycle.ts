// Strict readers of both stream formats: they refuse what the real APIs never send, and know how a stream ended.
import { createParser } from "eventsource-parser";

export interface Outcome {
  /** `clean`, or `error` when the last event is a well-formed error. */
  ending: "clean" | "error";
  /** The `type` of the error. */
  errorType?: string;
  errorMessage?: string;
  /** Whether the response had begun. */
  hasBegun: boolean;
}

interface Event {
  name: string | undefined;
  data: string;
}

type Json = Record<string, unknown>;

/** The events of a stream; throws on bytes that are no whole event stream. */
export function parseEvents(text: string): Event[] {
  const events: Event[] = [];
  const parser = createParser({
    onEvent: (event) => events.push({ name: event.event, data: event.data }),
    onError: (error) => {
      throw error;
    },
  });
  parser.feed(text);
  if (text !== "" && !text.endsWith("\n\n")) throw new Error("the stream ends inside an event");
  return events;
}

function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

function object(value: unknown, what: string): Json {
  check(typeof value === "object" && value !== null && !Array.isArray(value), `${what}: no object`);
  return value as Json;
}

function onlyKeys(value: Json, keys: readonly string[], what: string): void {
  for (const key of Object.keys(value)) check(keys.includes(key), `${what}: odd member ${key}`);
}

function count(value: unknown, what: string): void {
  check(Number.isInteger(value) && (value as number) >= 0, `${what}: no count`);
}

/** Throws on the first event that breaks the lifecycle of a stream of a message. */
export function checkAnthropicStream(text: string): Outcome {
  const reader = new AnthropicLifecycle();
  for (const event of parseEvents(text)) reader.read(event);
  return reader.outcome();
}

const DELTA_OF_BLOCK: Readonly<Record<string, readonly string[]>> = {
  text: ["text_delta", "citations_delta"],
  thinking: ["thinking_delta", "signature_delta"],
  redacted_thinking: [],
  tool_use: ["input_json_delta"],
  // What the provider ran.
  server_tool_use: ["input_json_delta"],
  mcp_tool_use: ["input_json_delta"],
  web_search_tool_result: [],
  code_execution_tool_result: [],
  mcp_tool_result: [],
};

class AnthropicLifecycle {
  private state: "before" | "between" | "in-block" | "after-delta" | "over" = "before";
  private error: Json | undefined;
  private index = 0;
  private block = "";
  private isSigned = false;
  private hasTools = false;

  read(event: Event): void {
    check(this.state !== "over", `${String(event.name)} after the end`);
    const data = object(JSON.parse(event.data), "event");
    check(data["type"] === event.name, `event ${String(event.name)} holds ${String(data["type"])}`);
    switch (event.name) {
      case "message_start":
        this.messageStart(data);
        return;
      case "ping":
        check(this.state !== "before", "ping before message_start");
        return;
      case "content_block_start":
        this.blockStart(data);
        return;
      case "content_block_delta":
        this.blockDelta(data);
        return;
      case "content_block_stop":
        this.blockStop(data);
        return;
      case "message_delta":
        this.messageDelta(data);
        return;
      case "message_stop":
        check(this.state === "after-delta", "message_stop too early");
        this.state = "over";
        return;
      case "error":
        this.state = "over";
        this.error = object(data["error"], "error");
        check(typeof this.error["message"] === "string", "error without a message");
        check(typeof this.error["type"] === "string", "error without a type");
        return;
      default:
        throw new Error(`unknown event ${String(event.name)}`);
    }
  }

  outcome(): Outcome {
    check(this.state === "over", `the stream stops in state ${this.state}`);
    const hasBegun = this.begun;
    if (this.error === undefined) return { ending: "clean", hasBegun };
    const { type, message } = this.error as { type: string; message: string };
    return { ending: "error", errorType: type, errorMessage: message, hasBegun };
  }

  private begun = false;

  private messageStart(data: Json): void {
    check(this.state === "before", "a second message_start");
    this.begun = true;
    const message = object(data["message"], "message");
    check(/^msg_./.test(String(message["id"])), `id ${String(message["id"])}`);
    check(message["type"] === "message" && message["role"] === "assistant", "message type or role");
    check(typeof message["model"] === "string" && message["model"] !== "", "no model");
    check(
      Array.isArray(message["content"]) && message["content"].length === 0,
      "content not empty",
    );
    check(message["stop_reason"] === null && message["stop_sequence"] === null, "stop reason");
    checkAnthropicUsage(message["usage"]);
    this.state = "between";
  }

  private blockStart(data: Json): void {
    check(this.state === "between", `content_block_start in state ${this.state}`);
    check(data["index"] === this.index, `block ${String(data["index"])}, not ${this.index}`);
    const block = object(data["content_block"], "block");
    this.block = String(block["type"]);
    check(this.block in DELTA_OF_BLOCK, `unknown block ${this.block}`);
    if (this.block === "text") check(block["text"] === "", "text block not empty");
    if (this.block === "thinking")
      check(block["thinking"] === "" && block["signature"] === "", "thinking not empty");
    if (this.block === "redacted_thinking") check(typeof block["data"] === "string", "no data");
    if (this.block.endsWith("tool_use")) {
      this.hasTools ||= this.block === "tool_use";
      check(typeof block["id"] === "string" && block["id"] !== "", "tool without an id");
      check(typeof block["name"] === "string" && block["name"] !== "", "tool without a name");
      check(JSON.stringify(block["input"]) === "{}", "input at the block's start");
    }
    this.isSigned = false;
    this.state = "in-block";
  }

  private blockDelta(data: Json): void {
    check(this.state === "in-block", "a delta outside of a block");
    check(data["index"] === this.index, "a delta for another block");
    const delta = object(data["delta"], "delta");
    const type = String(delta["type"]);
    check(DELTA_OF_BLOCK[this.block]?.includes(type) === true, `${type} in ${this.block}`);
    if (type === "text_delta") check(String(delta["text"]).length > 0, "an empty text delta");
    if (type === "thinking_delta") {
      check(!this.isSigned, "thinking after its signature");
      check(String(delta["thinking"]).length > 0, "an empty thinking delta");
    }
    if (type === "signature_delta") {
      check(!this.isSigned, "two signatures");
      check(typeof delta["signature"] === "string" && delta["signature"] !== "", "no signature");
      this.isSigned = true;
    }
    if (type === "input_json_delta") {
      check(typeof delta["partial_json"] === "string", "no partial_json");
    }
    if (type === "citations_delta") object(delta["citation"], "citation");
  }

  private blockStop(data: Json): void {
    check(this.state === "in-block", "a stop outside of a block");
    check(data["index"] === this.index, "a stop for another block");
    if (this.block === "thinking") check(this.isSigned, "thinking without a signature");
    this.index++;
    this.state = "between";
  }

  private messageDelta(data: Json): void {
    check(this.state === "between", `message_delta in state ${this.state}`);
    const delta = object(data["delta"], "delta");
    const reason = String(delta["stop_reason"]);
    check(
      [
        "end_turn",
        "max_tokens",
        "stop_sequence",
        "tool_use",
        "pause_turn",
        "refusal",
        "model_context_window_exceeded",
      ].includes(reason),
      `stop_reason ${reason}`,
    );
    check((reason === "stop_sequence") === (delta["stop_sequence"] !== null), "stop_sequence");
    check(reason !== "tool_use" || this.hasTools, "tool_use without tools");
    check(reason !== "end_turn" || !this.hasTools, "end_turn with tools");
    checkAnthropicUsage(data["usage"]);
    this.state = "after-delta";
  }
}

function checkAnthropicUsage(value: unknown): void {
  const usage = object(value, "usage");
  for (const key of [
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
  ]) {
    count(usage[key], key);
  }
}

/** Throws on the first chunk that breaks the lifecycle of a chat completion's stream. */
export function checkOpenaiStream(text: string, wantsUsage: boolean): Outcome {
  const reader = new OpenaiLifecycle(wantsUsage);
  for (const event of parseEvents(text)) reader.read(event);
  return reader.outcome();
}

const CHUNK_KEYS = [
  "id",
  "object",
  "created",
  "model",
  "choices",
  "usage",
  "service_tier",
  "system_fingerprint",
  // Of Converse: what the guardrail has found, and members of the model.
  "trace",
  "additionalModelResponseFields",
];
const DELTA_KEYS = [
  "role",
  "content",
  "refusal",
  "tool_calls",
  "reasoning_content",
  "reasoning_details",
  "annotations",
  "images",
];

class OpenaiLifecycle {
  private state: "before" | "content" | "finished" | "usage" | "over" = "before";
  private error: Json | undefined;
  private head = "";
  private tools: string[] = [];
  private finish = "";
  private hasBegun = false;
  private readonly seenOnce = new Set<string>();

  private readonly wantsUsage: boolean;

  constructor(wantsUsage: boolean) {
    this.wantsUsage = wantsUsage;
  }

  read(event: Event): void {
    check(event.name === undefined, "events have no names in this format");
    check(this.state !== "over", "an event after the end");
    if (event.data === "[DONE]") {
      check(this.state === "finished" || this.state === "usage", "[DONE] too early");
      this.state = "over";
      this.checkCalls();
      return;
    }
    const data = object(JSON.parse(event.data), "chunk");
    if ("error" in data) {
      this.state = "over";
      this.error = object(data["error"], "error");
      check(typeof this.error["message"] === "string", "error without a message");
      check(typeof this.error["type"] === "string", "error without a type");
      check("param" in this.error && "code" in this.error, "error without param or code");
      return;
    }
    this.chunk(data);
  }

  outcome(): Outcome {
    check(this.state === "over", `the stream stops in state ${this.state}`);
    if (this.error === undefined) return { ending: "clean", hasBegun: this.hasBegun };
    const { type, message } = this.error as { type: string; message: string };
    return { ending: "error", errorType: type, errorMessage: message, hasBegun: this.hasBegun };
  }

  private chunk(data: Json): void {
    onlyKeys(data, CHUNK_KEYS, "chunk");
    check(data["object"] === "chat.completion.chunk", "object");
    check(/^chatcmpl-./.test(String(data["id"])), `id ${String(data["id"])}`);
    count(data["created"], "created");
    const head = JSON.stringify([data["id"], data["created"], data["model"], data["service_tier"]]);
    check(this.head === "" || this.head === head, "another id, time or model than before");
    this.head = head;
    check("usage" in data === this.wantsUsage, "usage where not asked, or missing");
    const choices = data["choices"];
    check(Array.isArray(choices), "no choices");
    if (choices.length === 0) {
      check(this.state === "finished" && this.wantsUsage, "a chunk without choices");
      this.checkUsage(object(data["usage"], "usage"));
      this.state = "usage";
      return;
    }
    check(choices.length === 1 && (data["usage"] ?? null) === null, "choices or usage");
    const choice = object(choices[0], "choice");
    onlyKeys(choice, ["index", "delta", "logprobs", "finish_reason"], "choice");
    check(choice["index"] === 0, "index");
    if (choice["logprobs"] !== null)
      check(Array.isArray(object(choice["logprobs"], "logprobs")["content"]), "logprobs");
    const delta = object(choice["delta"], "delta");
    onlyKeys(delta, DELTA_KEYS, "delta");
    if (this.state === "before") {
      check(delta["role"] === "assistant", "the first chunk has no role");
      this.hasBegun = true;
      this.state = "content";
      return;
    }
    check(this.state === "content", `a choice in state ${this.state}`);
    check(!("role" in delta), "a second role");
    if (choice["finish_reason"] === null) {
      check(Object.keys(delta).length > 0, "an empty delta");
      this.delta(delta);
      return;
    }
    this.finish = JSON.stringify(choice["finish_reason"]).slice(1, -1);
    check(
      ["stop", "length", "tool_calls", "content_filter"].includes(this.finish),
      "finish_reason",
    );
    check(Object.keys(delta).length === 0, "the last delta is not empty");
    check(this.finish !== "tool_calls" || this.tools.length > 0, "tool_calls without a call");
    this.state = "finished";
  }

  private delta(delta: Json): void {
    for (const key of ["content", "refusal", "reasoning_content"]) {
      if (key in delta) check(typeof delta[key] === "string" && delta[key] !== "", `empty ${key}`);
    }
    for (const key of ["reasoning_details", "annotations"]) {
      if (!(key in delta)) continue;
      check(!this.seenOnce.has(key), `${key} twice`);
      this.seenOnce.add(key);
    }
    for (const call of (delta["tool_calls"] ?? []) as Json[]) {
      const fields = object(call["function"], "function");
      if (call["index"] === this.tools.length) {
        check(typeof call["id"] === "string" && call["id"] !== "", "a call without an id");
        check(call["type"] === "function", "type");
        check(typeof fields["name"] === "string" && fields["name"] !== "", "no name");
        this.tools.push(String(fields["arguments"]));
      } else {
        const index = call["index"] as number;
        const before = this.tools[index];
        check(before !== undefined, `fragment of a call ${String(index)} that has not begun`);
        check(!("id" in call) && !("name" in fields), "id or name twice");
        this.tools[index] = before + String(fields["arguments"]);
      }
    }
  }

  private checkUsage(usage: Json): void {
    count(usage["prompt_tokens"], "prompt_tokens");
    count(usage["completion_tokens"], "completion_tokens");
    check(
      (usage["prompt_tokens"] as number) + (usage["completion_tokens"] as number) ===
        usage["total_tokens"],
      "total_tokens",
    );
  }

  /** Arguments have to be JSON, unless the response was cut off. */
  private checkCalls(): void {
    if (this.finish !== "tool_calls") return;
    for (const text of this.tools) check(text !== "", "a call without arguments");
  }
}
