// Strict readers of a Responses stream: one refuses what OpenAI never sends, one reads as Codex does.
import { type Outcome, parseEvents } from "./lifecycle.ts";

type Json = Record<string, unknown>;

export interface ResponsesOutcome extends Outcome {
  /** The response of the last event. */
  response: Json;
  types: string[];
}

function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

function object(value: unknown, what: string): Json {
  check(typeof value === "object" && value !== null && !Array.isArray(value), `${what}: no object`);
  return value as Json;
}

function onlyKeys(value: Json, keys: string, what: string): void {
  const wanted = keys.split(" ").sort().join(" ");
  const found = Object.keys(value)
    .filter((key) => key !== "namespace")
    .sort()
    .join(" ");
  check(found === wanted, `${what}: members ${found}, not ${wanted}`);
}

const ID_PREFIX: Readonly<Record<string, string>> = {
  message: "msg_",
  reasoning: "rs_",
  function_call: "fc_",
  custom_tool_call: "ctc_",
  web_search_call: "gw1.h.",
  code_interpreter_call: "gw1.h.",
  mcp_call: "gw1.h.",
};

/** What the provider ran: the members of an item that begins. */
const HOSTED_MEMBERS: Readonly<Record<string, string>> = {
  web_search_call: "id type action status",
  code_interpreter_call: "id type container_id code outputs status",
  mcp_call: "id type approval_request_id error name server_label arguments output status",
};

/** Throws on the first event that breaks the lifecycle of a stream. */
export function checkResponsesStream(text: string): ResponsesOutcome {
  const reader = new ResponsesLifecycle();
  const types: string[] = [];
  for (const { name, data } of parseEvents(text)) {
    const event = JSON.parse(data) as Json;
    check(event["type"] === name, `event ${String(name)} holds ${String(event["type"])}`);
    check(event["sequence_number"] === types.length, `sequence_number of event ${types.length}`);
    types.push(String(name));
    reader.read(event);
  }
  return { ...reader.outcome(), types };
}

interface Part {
  kind: string;
  text: string;
  annotations: unknown[];
  isDone: boolean;
}

class ResponsesLifecycle {
  private state: "before" | "created" | "open" | "error" | "over" = "before";
  private head = "";
  private items: Json[] = [];
  private item: Json | undefined;
  private parts: Part[] = [];
  private error: Json | undefined;
  private last: Json = {};
  private ids = new Set<string>();

  read(event: Json): void {
    const type = String(event["type"]);
    check(this.state !== "over", `${type} after the end`);
    check(this.state !== "error" || type === "response.failed", `${type} after an error`);
    if (type === "error") this.readError(event);
    else if (type === "keepalive") {
      onlyKeys(event, "type sequence_number", type);
      check(this.state !== "before", "keepalive before response.created");
    } else if (/^response\.(created|in_progress|completed|incomplete|failed)$/.test(type))
      this.readLifecycle(type, event);
    else if (type === "response.output_item.added") this.itemAdded(event);
    else if (type === "response.output_item.done") this.itemDone(event);
    else this.readContent(type, event);
  }

  outcome(): Omit<ResponsesOutcome, "types"> {
    check(this.state === "over", `the stream stops in state ${this.state}`);
    const response = this.last;
    if (this.error === undefined) return { ending: "clean", hasBegun: true, response };
    const { type, message } = this.error as { type: string; message: string };
    return { ending: "error", errorType: type, errorMessage: message, hasBegun: true, response };
  }

  private readError(event: Json): void {
    onlyKeys(event, "type code message param sequence_number error", "error");
    check(this.state !== "before", "error before response.created");
    const error = object(event["error"], "error");
    onlyKeys(error, "message type param code", "nested error");
    for (const key of ["message", "param", "code"])
      check(error[key] === event[key], `two different ${key}`);
    check(typeof error["message"] === "string" && error["message"] !== "", "no message");
    this.state = "error";
    this.error = error;
  }

  private readLifecycle(type: string, event: Json): void {
    onlyKeys(event, "type sequence_number response", type);
    const response = object(event["response"], "response");
    this.last = response;
    const { id, object: kind, created_at: created, model, status, output } = response;
    const head = JSON.stringify([id, kind, created, model, response["tools"], response["store"]]);
    check(this.head === "" || this.head === head, "another head than before");
    this.head = head;
    check(/^resp_[\w-]{1,59}$/.test(String(id)), `id ${String(id)}`);
    check(kind === "response" && Number.isSafeInteger(created), "object or created_at");
    check(typeof model === "string" && model !== "", "no model");
    check(response["store"] === false, "store");
    if (type === "response.created") check(this.state === "before", "created twice");
    else check(this.state !== "before", `${type} first`);
    if (type === "response.created" || type === "response.in_progress") {
      check(status === "in_progress", "status");
      check(JSON.stringify(output) === "[]" && response["usage"] === null, "output or usage");
      this.state = type === "response.created" ? "created" : "open";
      return;
    }
    check(type === `response.${String(status)}`, `status ${String(status)} in ${type}`);
    check((status === "failed") === (this.state === "error"), `${type} in state ${this.state}`);
    check((response["error"] !== null) === (status === "failed"), "error");
    check((response["incomplete_details"] !== null) === (status === "incomplete"), "incomplete");
    check((response["completed_at"] !== null) === (status === "completed"), "completed_at");
    check(status === "failed" || this.item === undefined, "an item is open");
    if (output !== undefined)
      check(JSON.stringify(output) === JSON.stringify(this.items), "output is not the items");
    checkUsage(response["usage"]);
    this.state = "over";
  }

  private itemAdded(event: Json): void {
    onlyKeys(event, "type sequence_number output_index item", "added");
    check(this.state === "open" && this.item === undefined, "an item inside of another one");
    check(event["output_index"] === this.items.length, "output_index");
    const item = object(event["item"], "item");
    const type = String(item["type"]);
    const id = String(item["id"]);
    check(/^[\w.-]{1,64}$/.test(id) && id.startsWith(ID_PREFIX[type] ?? "?"), `id ${id}`);
    check(!this.ids.has(id), `id ${id} twice`);
    this.ids.add(id);
    if (type === "message") {
      onlyKeys(item, "id type role content status", type);
      check(JSON.stringify(item["content"]) === "[]", "content not empty");
    } else if (type === "reasoning") {
      onlyKeys(item, "id type summary", type);
      check(JSON.stringify(item["summary"]) === "[]", "summary not empty");
    } else if (HOSTED_MEMBERS[type] !== undefined) {
      onlyKeys(item, HOSTED_MEMBERS[type], type);
    } else {
      const text = type === "function_call" ? "arguments" : "input";
      onlyKeys(item, `id type call_id name ${text} status`, type);
      check(item[text] === "", `${text} not empty`);
      check(item["call_id"] !== "" && item["name"] !== "", "no call_id or name");
    }
    if (type !== "reasoning") check(item["status"] === "in_progress", "status");
    this.item = item;
    this.parts = [];
  }

  private itemDone(event: Json): void {
    onlyKeys(event, "type sequence_number output_index item", "done");
    const open = this.item;
    check(open !== undefined, "done without an item");
    check(event["output_index"] === this.items.length, "output_index");
    const item = object(event["item"], "item");
    for (const key of ["id", "type", "call_id", "name", "namespace", "role"])
      check(item[key] === open[key], `another ${key}`);
    check(
      this.parts.every((part) => part.isDone),
      "a part is open",
    );
    const texts = this.parts.map(({ text }) => text);
    const found =
      item["type"] === "message"
        ? (item["content"] as Json[]).map((part) => part["text"] ?? part["refusal"])
        : item["type"] === "reasoning"
          ? (item["summary"] as Json[]).map((part) => part["text"])
          : HOSTED_MEMBERS[String(item["type"])] === undefined
            ? [item["arguments"] ?? item["input"]]
            : [];
    check(JSON.stringify(found) === JSON.stringify(texts), "the item's texts are not its deltas");
    if (item["type"] !== "reasoning")
      check(/^(completed|incomplete)$/.test(String(item["status"])), "status");
    this.items.push(item);
    this.item = undefined;
  }

  private readContent(type: string, event: Json): void {
    const item = this.item;
    check(item !== undefined, `${type} outside of an item`);
    check(event["item_id"] === item["id"], "another item_id");
    check(event["output_index"] === this.items.length, "output_index");
    if (HOSTED_MEMBERS[String(item["type"])] !== undefined) {
      check(type.startsWith(`response.${String(item["type"])}`), `${type} here`);
      return;
    }
    const call = /^response\.(function_call_arguments|custom_tool_call_input)\.(delta|done)$/.exec(
      type,
    );
    if (call !== null) {
      this.readCall(event, call[1] === "function_call_arguments" ? "arguments" : "input");
      return;
    }
    const indexName = item["type"] === "reasoning" ? "summary_index" : "content_index";
    const index = event[indexName] as number;
    if (type.endsWith("part.added")) {
      const part = object(event["part"], "part");
      check(index === this.parts.length, indexName);
      check((part["text"] ?? part["refusal"]) === "", "part not empty");
      this.parts.push({ kind: String(part["type"]), text: "", annotations: [], isDone: false });
      return;
    }
    check(index === this.parts.length - 1, indexName);
    const part = this.parts[index];
    check(part !== undefined && !part.isDone, `${type} of no open part`);
    const prefix = { output_text: "output_text", refusal: "refusal" }[part.kind];
    if (type.endsWith("part.done")) this.partDone(event, part);
    else if (type === "response.output_text.annotation.added") {
      check(event["annotation_index"] === part.annotations.length, "annotation_index");
      part.annotations.push(event["annotation"]);
    } else {
      check(type.startsWith(`response.${prefix ?? "reasoning_summary_text"}.`), `${type} here`);
      if (part.kind === "output_text")
        check(JSON.stringify(event["logprobs"]) === "[]", "logprobs");
      if (type.endsWith(".delta")) part.text += nonEmpty(event["delta"]);
      else check((event["text"] ?? event["refusal"]) === part.text, "done is not its deltas");
    }
  }

  private partDone(event: Json, part: Part): void {
    const done = object(event["part"], "part");
    check(done["type"] === part.kind, "another kind of part");
    check((done["text"] ?? done["refusal"]) === part.text, "part is not its deltas");
    const annotations = JSON.stringify(done["annotations"] ?? []);
    check(annotations === JSON.stringify(part.annotations), "annotations");
    part.isDone = true;
  }

  private readCall(event: Json, member: string): void {
    if (this.parts.length === 0)
      this.parts.push({ kind: member, text: "", annotations: [], isDone: false });
    const part = this.parts[0];
    check(part !== undefined && !part.isDone && part.kind === member, "a delta of another kind");
    if ("delta" in event) part.text += nonEmpty(event["delta"]);
    else {
      check(event[member] === part.text, "done is not its deltas");
      part.isDone = true;
    }
  }
}

function nonEmpty(delta: unknown): string {
  check(typeof delta === "string" && delta !== "", "an empty delta");
  return delta;
}

function checkUsage(value: unknown): void {
  if (value === null) return;
  const usage = object(value, "usage");
  onlyKeys(
    usage,
    "input_tokens input_tokens_details output_tokens output_tokens_details total_tokens",
    "usage",
  );
  onlyKeys(usage["input_tokens_details"] as Json, "cached_tokens cache_write_tokens", "details");
  onlyKeys(usage["output_tokens_details"] as Json, "reasoning_tokens", "details");
  for (const part of [usage, usage["input_tokens_details"], usage["output_tokens_details"]]) {
    for (const count of Object.values(part as Json))
      check(typeof count === "object" || Number.isInteger(count), "a count is no integer");
  }
  const { input_tokens: input, output_tokens: output, total_tokens: total } = usage;
  // A provider's absurd counts are larger than the integers that JSON.parse keeps.
  const isExact = Number.isSafeInteger(total);
  check(!isExact || (input as number) + (output as number) === total, "total_tokens");
}

export interface CodexTurn {
  /** The items of the history. */
  items: Json[];
  usage?: Json;
  /** Why the turn failed: the code of a failed response, "incomplete: …", or that the stream ended early. */
  failure?: string;
  /** Seconds that Codex waits before it tries again. */
  wait?: number;
}

/** What Codex makes of a stream: `output_item.done` alone makes items, the tag is `type`, usage is parsed strictly. */
export function codexTurn(text: string): CodexTurn {
  const turn: CodexTurn = { items: [] };
  let failure = "stream closed before response.completed";
  for (const { data } of parseEvents(text)) {
    const event = JSON.parse(data) as Json;
    const response = event["response"] as Json | undefined;
    switch (event["type"]) {
      case "response.output_item.done":
        turn.items.push(codexItem(object(event["item"], "item")));
        break;
      case "response.completed":
        check(typeof response?.["id"] === "string", "completed without an id");
        if (response["usage"] !== null) {
          checkUsage(response["usage"]);
          turn.usage = response["usage"] as Json;
        }
        return turn;
      case "response.incomplete":
        failure = `incomplete: ${String((response?.["incomplete_details"] as Json)["reason"])}`;
        break;
      case "response.failed": {
        const error = object(response?.["error"], "error");
        failure = String(error["code"]);
        const wait = /try again in\s*(\d+(?:\.\d+)?)\s*s/i.exec(String(error["message"]));
        if (failure === "rate_limit_exceeded" && wait !== null) turn.wait = Number(wait[1]);
        break;
      }
      default:
    }
  }
  return { ...turn, failure };
}

const CODEX_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  message: ["role"],
  reasoning: [],
  function_call: ["name", "arguments", "call_id"],
  custom_tool_call: ["name", "input", "call_id"],
  web_search_call: [],
  code_interpreter_call: [],
  mcp_call: [],
};

function codexItem(item: Json): Json {
  const members = CODEX_MEMBERS[String(item["type"])];
  check(members !== undefined, `item ${String(item["type"])}`);
  for (const member of members) check(typeof item[member] === "string", `no ${member}`);
  if (item["type"] === "message") check(Array.isArray(item["content"]), "no content");
  if (item["type"] === "reasoning") check(Array.isArray(item["summary"]), "no summary");
  return item;
}
