// What a fake provider does with a request that it accepts: decided by the test, or said in the prompt itself.

export interface ToolCall {
  name: string;
  /** Where two namespaces have a tool of this name; only the Responses API has namespaces. */
  namespace?: string;
  arguments: object;
}

/** An answer before a wire format is put around it. */
export interface Answer {
  /** Several are several blocks, where the dialect has blocks; `redacted` ones come encrypted, as they may at any time. */
  thinking?: string | (string | { redacted: string })[];
  text?: string;
  /** A custom tool's text is the member `input` of its arguments, where the dialect has custom tools. */
  toolCalls?: ToolCall[];
  /** Queries of searches that the provider runs before the rest, where the fake supports that. */
  searches?: string[];
  /** Words of a refusal, where the dialect has them apart from the text. */
  refusal?: string;
  /** Why it stops; worked out when absent. */
  stop?: "end" | "length" | "tools" | "refusal";
}

export type Behaviour =
  | {
      kind: "answer";
      /** Fixed instead of worked out from the prompt. */
      answer?: Answer;
      /** Between the events of a stream, and between the pieces of a complete body. Milliseconds. */
      paceMs?: number;
      /** Before the head of the response. Milliseconds. */
      delayMs?: number;
      /** Whatever the request's accept-encoding says, as some providers do. */
      encoding?: "gzip" | "br";
      /** Goes on for that many pieces of text. */
      pieces?: number;
      /** That many keep-alive events before the first word, where the dialect has them. */
      keepalives?: number;
    }
  | {
      kind: "error";
      status: number;
      retryAfter?: string;
      body?: "json" | "html" | "empty";
      /** The envelope's code, where the dialect has one. */
      code?: string;
      message?: string;
    }
  /** Takes the request and never says a word. */
  | { kind: "hang" }
  /** Breaks the connection, after that many events of a stream; at once when absent. */
  | { kind: "reset"; afterEvents?: number }
  /** Goes silent in the middle of a stream and keeps the connection. */
  | { kind: "stall"; afterEvents: number }
  /** An error event inside a stream that began well. */
  | { kind: "errorEvent"; afterEvents: number; code?: string };

/** What the wire formats have in common, as far as an answer depends on it. */
export interface Prompt {
  /** Text of the last user turn. */
  text: string;
  images: number;
  /** Text of the tool results that end the conversation; empty when it ends otherwise. */
  toolResults: string[];
  tools: string[];
  isThinking: boolean;
}

/**
 * Directions in the prompt, for clients in another process: `[error 429]`, `[hang]`, `[reset]`, `[reset 3]`,
 * `[stall 2]`, `[delay 500]`, `[error event 2]`, `[pieces 100 pace 20]`, `[keepalive 3]`, `[gzip]`, `[br]`, `[html 502]`,
 * `[empty 500]`. A code can follow an error: `[error 400 context_length_exceeded]`, `[error event 2 server_error]`.
 */
export function directionIn(text: string): Behaviour | undefined {
  const [, word = "", rest = ""] = /\[([a-z]+)((?: [a-z0-9_]+)*)\]/.exec(text) ?? [];
  const [first = "", second, third] = rest.trim().split(" ");
  switch (word) {
    case "error":
      if (first === "event")
        return { kind: "errorEvent", afterEvents: Number(second), ...withCode(third) };
      return { kind: "error", status: Number(first), retryAfter: "0", ...withCode(second) };
    case "html":
    case "empty":
      return { kind: "error", status: Number(first), body: word };
    case "hang":
      return { kind: "hang" };
    case "reset":
      return { kind: "reset", ...(first === "" ? {} : { afterEvents: Number(first) }) };
    case "stall":
      return { kind: "stall", afterEvents: Number(first) };
    case "delay":
      return { kind: "answer", delayMs: Number(first) };
    case "keepalive":
      return { kind: "answer", keepalives: Number(first) };
    case "gzip":
    case "br":
      return { kind: "answer", encoding: word };
    case "pieces": {
      const paceMs = Number(/pace (\d+)/.exec(rest)?.[1] ?? 0);
      return { kind: "answer", pieces: Number(first), paceMs };
    }
    default:
      return undefined;
  }
}

function withCode(code: string | undefined): { code?: string } {
  return code === undefined ? {} : { code };
}

/**
 * The answer that the prompt asks for: `call name({...})` calls that tool, several at once if said several
 * times; so does the question that public suites ask, "What is the weather in X?", with `get_weather`; tool results are
 * repeated; `[say {...}]` answers with that; anything else is echoed.
 */
export function answerTo(prompt: Prompt): Answer {
  const thinking = prompt.isThinking
    ? { thinking: `They wrote ${prompt.text.length} characters.` }
    : {};
  if (prompt.toolResults.length > 0)
    return { ...thinking, text: `The tools said: ${prompt.toolResults.join("; ")}` };
  const toolCalls = [...prompt.text.matchAll(/call ([A-Za-z0-9_-]+)\((\{.*?\})\)/g)]
    .filter(([, name = ""]) => prompt.tools.includes(name))
    .map(([, name = "", text = "{}"]) => ({ name, arguments: JSON.parse(text) as object }));
  if (toolCalls.length > 0) return { ...thinking, toolCalls };
  const [, city] = /weather in ([^?]+)\?/.exec(prompt.text) ?? [];
  if (city !== undefined && prompt.tools.includes("get_weather"))
    return { ...thinking, toolCalls: [{ name: "get_weather", arguments: { location: city } }] };
  const [, said] = /\[say (\{.*\})\]/.exec(prompt.text) ?? [];
  if (said !== undefined) return { ...thinking, text: said };
  const images = prompt.images > 0 ? ` (and sent ${prompt.images} images)` : "";
  return { ...thinking, text: `You said: ${prompt.text}${images}` };
}

/** All that was thought, in one text. */
export function thoughtOf({ thinking = [] }: Answer): string {
  const texts = [thinking].flat().map((one) => (typeof one === "string" ? one : one.redacted));
  return texts.join("\n\n");
}

/** Cut for streaming: pieces of a few characters, never half a character. */
export function pieces(text: string, count?: number): string[] {
  if (count !== undefined) return Array.from({ length: count }, (_, index) => `${index} `);
  const characters = Array.from(text);
  const cut: string[] = [];
  for (let at = 0; at < characters.length; at += 6) cut.push(characters.slice(at, at + 6).join(""));
  return cut;
}
