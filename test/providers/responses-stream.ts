// The events of a response in the order that OpenAI sends them: each item from `added` to `done`, innermost parts first.
import { pieces } from "./behaviour.ts";
import { unfinished } from "./responses-output.ts";
import type { OutputItem, ResponseObject } from "./responses-output.ts";

type Event = { type: string } & Record<string, unknown>;

export function sse(event: Event, sequenceNumber: number): string {
  const data = { ...event, sequence_number: sequenceNumber };
  return `event: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

export interface StreamOptions {
  /** That many pieces of text. */
  pieces?: number;
  keepalives?: number;
  isObfuscated: boolean;
}

/** Returns the whole stream, an event each. */
export function streamOf(response: ResponseObject, options: StreamOptions): string[] {
  const running = unfinished(response, "in_progress");
  const events: Event[] = [
    { type: "response.created", response: running },
    { type: "response.in_progress", response: running },
    ...Array.from({ length: options.keepalives ?? 0 }, () => ({ type: "keepalive" })),
    ...response.output.flatMap((item, index) => itemEvents(item, index, options)),
    { type: `response.${response.status}`, response },
  ];
  return events.map(sse);
}

function itemEvents(item: OutputItem, outputIndex: number, options: StreamOptions): Event[] {
  const at = { output_index: outputIndex };
  return [
    { type: "response.output_item.added", ...at, item: begun(item) },
    ...innerEvents(item, { item_id: item.id, ...at }, options),
    { type: "response.output_item.done", ...at, item },
  ];
}

function begun(item: OutputItem): object {
  switch (item.type) {
    case "reasoning":
      // The carrier of an unfinished item is another one; only that of the finished item can be opened.
      return item.encrypted_content === undefined
        ? { ...item, summary: [] }
        : { ...item, summary: [], encrypted_content: `${item.encrypted_content}unfinished` };
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "function_call":
      return { ...item, status: "in_progress", arguments: "" };
    case "web_search_call":
      return { ...item, status: "in_progress" };
    default:
      return { ...item, status: "in_progress", input: "" };
  }
}

function innerEvents(item: OutputItem, at: object, options: StreamOptions): Event[] {
  const deltas = (type: string, text: string, more: object, count?: number): Event[] =>
    pieces(text, count).map((delta) => ({
      type: `response.${type}.delta`,
      ...at,
      ...more,
      delta,
      ...(options.isObfuscated ? { obfuscation: "Zf3kQ9pL2xV7".slice(delta.length % 12) } : {}),
    }));
  const done = (type: string, more: object): Event => ({
    type: `response.${type}.done`,
    ...at,
    ...more,
  });
  switch (item.type) {
    case "reasoning":
      return item.summary.flatMap((part, index) => {
        const where = { summary_index: index };
        const empty = { ...part, text: "" };
        return [
          { type: "response.reasoning_summary_part.added", ...at, ...where, part: empty },
          ...deltas("reasoning_summary_text", part.text, where),
          done("reasoning_summary_text", { ...where, text: part.text }),
          done("reasoning_summary_part", { ...where, part }),
        ];
      });
    case "message":
      return item.content.flatMap((part, index) => {
        const where = { content_index: index };
        const isText = part.type === "output_text";
        const empty = isText ? { ...part, text: "" } : { ...part, refusal: "" };
        const none = isText ? { logprobs: [] } : {};
        const inner = isText
          ? deltas("output_text", part.text, { ...where, ...none }, options.pieces)
          : deltas("refusal", part.refusal, where);
        return [
          { type: "response.content_part.added", ...at, ...where, part: empty },
          ...inner,
          isText
            ? done("output_text", { ...where, text: part.text, ...none })
            : done("refusal", { ...where, refusal: part.refusal }),
          done("content_part", { ...where, part }),
        ];
      });
    case "function_call":
      return [
        ...deltas("function_call_arguments", item.arguments, {}),
        done("function_call_arguments", { arguments: item.arguments }),
      ];
    case "web_search_call":
      return ["in_progress", "searching", "completed"].map((state) => ({
        type: `response.web_search_call.${state}`,
        ...at,
      }));
    default:
      return [
        ...deltas("custom_tool_call_input", item.input, {}),
        done("custom_tool_call_input", { input: item.input }),
      ];
  }
}
