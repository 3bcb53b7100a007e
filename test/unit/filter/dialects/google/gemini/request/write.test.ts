// Requests for Gemini, from each dialect that clients use: request in, request out, accepted by the strict fake.
import { beforeAll, describe, expect } from "vitest";
import { readGeminiRequest } from "../../../../../../providers/gemini-request.ts";
import {
  CHAT,
  GEMINI,
  MESSAGES,
  type Options,
  RequestTranslator,
  RESPONSES,
} from "../../../../request-translator.ts";
import { runGolden } from "../../../../request-golden.ts";

let translator: RequestTranslator;
beforeAll(async () => {
  translator = await RequestTranslator.create();
});

/** A model with the limits of a case. */
function modelOf({ limits = {} }: Options): string {
  if (limits.system_role === "none") return "gemma-3-27b-it";
  if (limits.tool_calls !== "plain")
    return limits.thinking === "none" ? "gemini-3-pro-image" : "gemini-3-pro";
  return limits.json_schema === false ? "gemini-2.0-flash" : "gemini-2.5-flash";
}

const CLIENTS = [
  { file: "chat-to-gemini", from: CHAT },
  { file: "messages-to-gemini", from: MESSAGES },
  { file: "responses-to-gemini", from: RESPONSES },
];

describe.each(CLIENTS)("$file", ({ file, from }) => {
  runGolden(file, ({ request, options }) => {
    const result = translator.translate(request, from, GEMINI, options);
    if (result.fault !== undefined) return result;
    const read = readGeminiRequest(JSON.parse(result.body), modelOf(options), () => true);
    expect(read, result.body).toBeTypeOf("object");
    return result;
  });
});
