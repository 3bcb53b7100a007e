// What a provider ran, in the responses of the exchanges, as the official SDKs read it.
import { describe, expect, it } from "vitest";
import {
  anthropicMessage,
  openaiCompleteResponse,
  openaiResponse,
} from "../unit/filter/sdk-streams.ts";
import { readCase } from "./case.ts";

/** Returns the body that the client of an exchange gets. */
function bodyOf(name: string): string {
  const text = readCase(name).clientResponse;
  return text.slice(text.indexOf("\n\n") + 2).replaceAll("<<now>>", "1741569952");
}

describe("the Responses API of OpenAI's SDK", () => {
  it.each([
    ["server-tools/responses-search-at-anthropic-stream", "web_search_call"],
    ["server-tools/responses-search-at-gemini-stream", "web_search_call"],
    ["server-tools/responses-stream-search-places", "web_search_call"],
    ["server-tools/responses-code-at-gemini-stream", "code_interpreter_call"],
  ])("%s has its item, and each event of it", async (name, type) => {
    const events: string[] = [];
    const { output, output_text } = await openaiResponse(bodyOf(name), events);
    expect(output.map((item) => item.type)).toContain(type);
    expect(output_text).not.toBe("");
    expect(events).toContain(`response.${type}.completed`);
    const isCode = type === "code_interpreter_call";
    expect(events.includes("response.code_interpreter_call_code.done")).toBe(isCode);
  });

  it.each([
    ["server-tools/responses-search-at-anthropic", "web_search_call"],
    ["server-tools/responses-code-at-anthropic", "code_interpreter_call"],
    ["server-tools/responses-mcp-at-anthropic", "mcp_call"],
  ])("%s has its item", async (name, type) => {
    const { output } = await openaiCompleteResponse(bodyOf(name));
    expect(output.map((item) => item.type)).toContain(type);
  });
});

it("a stream has the query and the pages of a search in Anthropic's SDK", async () => {
  const { content } = await anthropicMessage(bodyOf("gemini/messages-stream-sources"));
  expect(content).toMatchObject([
    { type: "text" },
    { type: "server_tool_use", name: "web_search", input: { query: "capital" } },
    { type: "web_search_tool_result", content: [{ url: "https://a.example" }] },
  ]);
  const [, use, result] = content;
  expect(use).toHaveProperty("id", (result as { tool_use_id: string }).tool_use_id);
});
