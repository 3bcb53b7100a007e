// The same conversation in each wire format is the same session, and a brain decides the same next step.
import { describe, expect, it } from "vitest";
import { scriptedBrain } from "./brain.ts";
import type { Session, Step } from "./brain.ts";
import {
  chatSession,
  converseSession,
  geminiSession,
  messagesSession,
  responsesSession,
} from "./session.ts";

const IMAGE = "iVBORw0KGgo=";
const URL = `data:image/png;base64,${IMAGE}`;

/** A question with an image, two calls at once with their results in the other order, and a text. */
const SESSIONS: [format: string, session: Session][] = [
  [
    "chat completions",
    chatSession({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Weather?" },
            { type: "image_url", image_url: { url: URL } },
          ],
        },
        {
          role: "assistant",
          content: "I look.",
          tool_calls: ["a", "b"].map((id) => ({
            id,
            function: { name: "look", arguments: `{"at":"${id}"}` },
          })),
        },
        { role: "tool", tool_call_id: "b", content: "rain" },
        { role: "tool", tool_call_id: "a", content: "sun" },
      ],
      tools: [{ type: "function", function: { name: "look", description: "Looks at the sky." } }],
    }),
  ],
  [
    "responses",
    responsesSession(
      [
        {
          role: "user",
          content: [
            { type: "input_text", text: "Weather?" },
            { type: "input_image", image_url: URL },
          ],
        },
        { role: "assistant", content: [{ type: "output_text", text: "I look." }] },
        ...["a", "b"].map((id) => ({
          type: "function_call",
          call_id: id,
          name: "look",
          arguments: `{"at":"${id}"}`,
        })),
        { type: "function_call_output", call_id: "b", output: "rain" },
        { type: "function_call_output", call_id: "a", output: "sun" },
      ],
      [{ type: "function", name: "look", description: "Looks at the sky." }],
    ),
  ],
  [
    "messages",
    messagesSession({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Weather?" },
            { type: "image", source: { type: "base64", data: IMAGE } },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "text", text: "I look." },
            ...["a", "b"].map((id) => ({ type: "tool_use", id, name: "look", input: { at: id } })),
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "b", content: "rain" },
            { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "sun" }] },
          ],
        },
      ],
      tools: [{ name: "look", description: "Looks at the sky." }],
    }),
  ],
  [
    "gemini",
    geminiSession({
      contents: [
        { role: "user", parts: [{ text: "Weather?" }, { inlineData: { data: IMAGE } }] },
        {
          role: "model",
          parts: [
            { text: "Hm.", thought: true },
            { text: "I look." },
            ...["a", "b"].map((id) => ({ functionCall: { id, name: "look", args: { at: id } } })),
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { id: "b", name: "look", response: { output: "rain" } } },
            { functionResponse: { id: "a", name: "look", response: { output: "sun" } } },
          ],
        },
      ],
      tools: [{ functionDeclarations: [{ name: "look", description: "Looks at the sky." }] }],
    }),
  ],
  [
    "converse",
    converseSession({
      messages: [
        {
          role: "user",
          content: [{ text: "Weather?" }, { image: { source: { bytes: IMAGE } } }],
        },
        {
          role: "assistant",
          content: [
            { text: "I look." },
            ...["a", "b"].map((id) => ({
              toolUse: { toolUseId: id, name: "look", input: { at: id } },
            })),
          ],
        },
        {
          role: "user",
          content: [
            { toolResult: { toolUseId: "b", content: [{ text: "rain" }] } },
            { toolResult: { toolUseId: "a", content: [{ text: "sun" }] } },
          ],
        },
      ],
      toolConfig: {
        tools: [{ toolSpec: { name: "look", description: "Looks at the sky." } }],
      },
    }),
  ],
];

const LOOK = (at: string) => ({ tool: "at the sky", arguments: { at } });
const STEPS: Step[] = [
  { calls: [LOOK("a"), LOOK("b")] },
  { calls: [LOOK("c")], search: "storms" },
  { say: "Done." },
];

describe.each(SESSIONS)("%s", (_format, session) => {
  it("a session has the texts, the image, and each result at its call", () => {
    expect(session.asked.filter((text) => text !== "")).toEqual(["Weather?"]);
    expect(session.said.filter((text) => text !== "")).toEqual(["I look."]);
    expect(session.images).toEqual([IMAGE]);
    expect(session.calls).toEqual([
      { name: "look", arguments: { at: "a" }, result: "sun" },
      { name: "look", arguments: { at: "b" }, result: "rain" },
    ]);
  });

  it("a brain goes on with the next step of its script", () => {
    const brain = scriptedBrain(STEPS);
    expect(brain(session)).toMatchObject({
      toolCalls: [{ name: "look", arguments: { at: "c" } }],
      searches: [],
    });
    const called = [...session.calls, { name: "look", arguments: { at: "c" } }];
    expect(brain({ ...session, calls: called })).toMatchObject({ text: "Done." });
    expect(brain({ ...session, canSearch: true }).searches).toEqual(["storms"]);
    expect(brain({ ...session, tools: [] })).toMatchObject({ text: "No tool is at the sky." });
  });
});
