// Reads from each wire format what a brain (brain.ts) needs of a conversation. The strict fakes have checked the shape before.
import type { OfferedTool, Session, SessionCall } from "./brain.ts";

type Json = Record<string, unknown>;

function empty(): Session {
  return { asked: [], said: [], calls: [], images: [], searches: 0, tools: [], canSearch: false };
}

/** Collects calls and gives each result to the call of its id. */
class Calls {
  readonly list: SessionCall[] = [];
  private readonly byId = new Map<string, SessionCall>();

  add(id: unknown, name: unknown, values: unknown): void {
    const call: SessionCall = { name: String(name), arguments: values };
    this.list.push(call);
    this.byId.set(String(id), call);
  }

  result(id: unknown, text: string): void {
    const call = this.byId.get(String(id));
    if (call !== undefined) call.result = text;
  }
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? (value as Json[]) : [];
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text)) as unknown;
  } catch {
    return text;
  }
}

/** The texts of a string or of a list of parts, whatever their type is called. */
function textsOf(content: unknown): string[] {
  if (typeof content === "string") return [content];
  return listOf(content).flatMap(({ text }) => (typeof text === "string" ? [text] : []));
}

const DATA_URL = /^data:[^,]*;base64,/;

function dataOf(url: unknown): string[] {
  const text = typeof url === "string" ? url : (url as { url?: unknown } | undefined)?.url;
  return typeof text === "string" && DATA_URL.test(text) ? [text.replace(DATA_URL, "")] : [];
}

function imagesOf(content: unknown): string[] {
  return listOf(content).flatMap((part) => dataOf(part["image_url"]));
}

function offered(name: unknown, description: unknown, namespace?: unknown): OfferedTool {
  return {
    name: String(name),
    description: typeof description === "string" ? description : "",
    ...(typeof namespace === "string" ? { namespace } : {}),
  };
}

/** Reads a request to chat completions. */
export function chatSession(request: object): Session {
  const { messages, tools } = request as Json;
  const session = empty();
  const calls = new Calls();
  for (const message of listOf(messages)) {
    const { role, content } = message;
    session.images.push(...imagesOf(content));
    if (role === "user") session.asked.push(...textsOf(content));
    if (role === "tool") calls.result(message["tool_call_id"], textsOf(content).join(""));
    if (role !== "assistant") continue;
    session.said.push(textsOf(content).join(""));
    for (const call of listOf(message["tool_calls"])) {
      const { name, arguments: values } = call["function"] as Json;
      calls.add(call["id"], name, parsed(values));
    }
  }
  for (const { type, function: one } of listOf(tools)) {
    if (type === "browser_search") session.canSearch = true;
    if (one === undefined) continue;
    const { name, description } = one as Json;
    session.tools.push(offered(name, description));
  }
  return { ...session, calls: calls.list };
}

/** Reads the items of a request to Responses, with its tools as a flat list. */
export function responsesSession(items: object[], tools: object[]): Session {
  const session = empty();
  const calls = new Calls();
  for (const item of items as Json[]) {
    const { type, role, content, output } = item;
    session.images.push(...imagesOf(content), ...imagesOf(output));
    if (type === "web_search_call") session.searches++;
    if (type === "function_call")
      calls.add(item["call_id"], item["name"], parsed(item["arguments"]));
    if (type === "custom_tool_call") calls.add(item["call_id"], item["name"], item["input"]);
    if (String(type).endsWith("_call_output"))
      calls.result(item["call_id"], textsOf(output).join(""));
    if (role === "user") session.asked.push(...textsOf(content));
    if (role === "assistant") session.said.push(textsOf(content).join(""));
  }
  for (const { type, name, description, namespace } of tools as Json[]) {
    if (String(type).startsWith("web_search")) session.canSearch = true;
    else session.tools.push(offered(name, description, namespace));
  }
  return { ...session, calls: calls.list };
}

/** Reads a request to Anthropic's messages. */
export function messagesSession(request: object): Session {
  const { messages, tools } = request as Json;
  const session = empty();
  const calls = new Calls();
  const isImage = ({ type }: Json): boolean => type === "image";
  const imagesIn = (content: unknown): string[] =>
    listOf(content)
      .filter(isImage)
      .map(({ source }) => String((source as Json)["data"]));
  for (const { role, content } of listOf(messages)) {
    session.images.push(...imagesIn(content));
    if (role === "user") session.asked.push(...textsOf(content));
    else session.said.push(textsOf(content).join(""));
    for (const block of listOf(content)) {
      if (block["type"] === "server_tool_use") session.searches++;
      if (block["type"] === "tool_use") calls.add(block["id"], block["name"], block["input"]);
      if (block["type"] !== "tool_result") continue;
      session.images.push(...imagesIn(block["content"]));
      calls.result(block["tool_use_id"], textsOf(block["content"]).join(""));
    }
  }
  for (const { type, name, description } of listOf(tools)) {
    if (String(type).startsWith("web_search")) session.canSearch = true;
    else session.tools.push(offered(name, description));
  }
  return { ...session, calls: calls.list };
}

/** Reads a request to Gemini. Models before Gemini 3 have no ids: their results are in the order of the calls. */
export function geminiSession(request: object): Session {
  const { contents, tools } = request as Json;
  const session = empty();
  const calls = new Calls();
  let results = 0;
  const imagesIn = (parts: unknown): string[] =>
    listOf(parts).flatMap(({ inlineData }) =>
      inlineData === undefined ? [] : [String((inlineData as Json)["data"])],
    );
  for (const { role, parts } of listOf(contents)) {
    const own = listOf(parts).filter(({ thought }) => thought !== true);
    session.images.push(...imagesIn(parts));
    if (role === "user") session.asked.push(...textsOf(own));
    else session.said.push(textsOf(own).join(""));
    for (const { functionCall, functionResponse } of own as Record<string, Json | undefined>[]) {
      if (functionCall !== undefined)
        calls.add(
          functionCall["id"] ?? calls.list.length,
          functionCall["name"],
          functionCall["args"],
        );
      if (functionResponse === undefined) continue;
      const text = Object.values(functionResponse["response"] as Json)
        .map(written)
        .join("");
      calls.result(functionResponse["id"] ?? results, text);
      results++;
      session.images.push(...imagesIn(functionResponse["parts"]));
    }
  }
  for (const one of listOf(tools)) {
    if ("googleSearch" in one) session.canSearch = true;
    for (const { name, description } of listOf(one["functionDeclarations"]))
      session.tools.push(offered(name, description));
  }
  return { ...session, calls: calls.list };
}

function written(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Reads a request to Converse. */
export function converseSession(request: object): Session {
  const { messages, toolConfig } = request as { messages: Json[]; toolConfig?: Json };
  const session = empty();
  const calls = new Calls();
  const imagesIn = (blocks: unknown): string[] =>
    listOf(blocks).flatMap(({ image }) =>
      image === undefined ? [] : [String((image as { source: Json }).source["bytes"])],
    );
  for (const { role, content } of messages) {
    session.images.push(...imagesIn(content));
    if (role === "user") session.asked.push(...textsOf(content));
    else session.said.push(textsOf(content).join(""));
    for (const { toolUse, toolResult } of listOf(content) as Record<string, Json | undefined>[]) {
      if (toolUse !== undefined) calls.add(toolUse["toolUseId"], toolUse["name"], toolUse["input"]);
      if (toolResult === undefined) continue;
      calls.result(toolResult["toolUseId"], textsOf(toolResult["content"]).join(""));
      session.images.push(...imagesIn(toolResult["content"]));
    }
  }
  for (const tool of listOf(toolConfig?.["tools"])) {
    if ("systemTool" in tool) session.canSearch = true;
    const spec = tool["toolSpec"] as Json | undefined;
    if (spec !== undefined) session.tools.push(offered(spec["name"], spec["description"]));
  }
  return { ...session, calls: calls.list };
}
