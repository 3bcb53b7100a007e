// What the official SDKs make of a stream: the final message, or the error that they raise.
import { MessageStream } from "@anthropic-ai/sdk/lib/MessageStream";
import { Stream as AnthropicStream } from "@anthropic-ai/sdk/streaming";
import { type Message } from "@anthropic-ai/sdk/resources/messages";
import OpenAI from "openai";
import { ChatCompletionStream } from "openai/lib/ChatCompletionStream";
import { Stream as OpenaiStream } from "openai/streaming";
import { type ChatCompletion } from "openai/resources/chat/completions";

function response(text: string): Response {
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

export async function anthropicMessage(text: string): Promise<Message> {
  const stream = AnthropicStream.fromSSEResponse(response(text), new AbortController());
  return MessageStream.fromReadableStream(stream.toReadableStream()).finalMessage();
}

export async function openaiCompletion(text: string): Promise<ChatCompletion> {
  const stream = OpenaiStream.fromSSEResponse(response(text), new AbortController());
  return ChatCompletionStream.fromReadableStream(stream.toReadableStream()).finalChatCompletion();
}

/** The response of `responses.stream()`, a strict state machine; `events` gets each event's type. */
export async function openaiResponse(text: string, events: string[] = []): Promise<ParsedResponse> {
  const stream = client(text, "text/event-stream").responses.stream({ model: "m", input: "x" });
  stream.on("event", ({ type }) => events.push(type));
  return await stream.finalResponse();
}

/** As `responses.create()` reads a complete response. */
export async function openaiCompleteResponse(body: string): Promise<ParsedResponse> {
  const created = client(body, "application/json").responses.create({ model: "m", input: "x" });
  return await created;
}

export type ParsedResponse = OpenAI.Responses.Response & { output_text: string };

export function client(body: string, type: string): OpenAI {
  const fetch = (): Promise<Response> =>
    Promise.resolve(new Response(body, { headers: { "content-type": type } }));
  return new OpenAI({ apiKey: "none", baseURL: "http://localhost/v1", fetch, maxRetries: 0 });
}
