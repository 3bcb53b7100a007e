// What becomes of the hub's slots and features in a request for Gemini: for docs/dialects.md alone. The filter imports
// supported.ts, and the writers have the names.
import { MemberTable, object, writes } from "../../../hub/request/member-table";
import * as slot from "../../../hub/request/slots";

export { SUPPORTED } from "./supported";

export const request = new MemberTable(
  "",
  "",
  object("The request", "https://ai.google.dev/api/generate-content"),
);
request.slot("path", slot.MODEL, writes("the provider's name of the chosen model, in the path"));
request.slot(
  "contents",
  slot.MESSAGES,
  writes(
    "neighbours of one role are one content; a short user text is put before a first message of the assistant, and behind a last one, which is listed as `prefill`",
  ),
);
request.slot(
  "systemInstruction",
  slot.SYSTEM,
  writes("the parts in order; for models without a system role the first user text"),
);
request.slot("tools", slot.TOOLS, writes("one list of function declarations"));
request.slot(
  "toolConfig.functionCallingConfig",
  slot.TOOL_CHOICE,
  writes(
    "mode NONE, AUTO or ANY; VALIDATED instead of AUTO if a tool is strict and the model is Gemini 3 or newer",
  ),
);
request.slot(
  "toolConfig.functionCallingConfig.allowedFunctionNames",
  slot.CHOSEN_TOOL,
  writes("the one name"),
);
request.slot("alt", slot.STREAM, writes("another method in the path, with `alt=sse`"));

export const generationConfig = new MemberTable(
  "generationConfig.",
  "",
  object("The configuration", "https://ai.google.dev/api/generate-content#generationconfig"),
);
generationConfig.slot(
  "maxOutputTokens",
  slot.MAX_TOKENS,
  writes("lowered to the model's maximum, which is listed; thinking counts as output"),
);
generationConfig.slot(
  "temperature",
  slot.TEMPERATURE,
  writes("dropped for models that do not support it"),
);
generationConfig.slot("topP", slot.TOP_P, writes("dropped for models that do not support it"));
generationConfig.slot("topK", slot.TOP_K, writes("dropped for models that do not support it"));
generationConfig.slot("stopSequences", slot.STOP);
generationConfig.slot(
  "responseMimeType",
  slot.OUTPUT_FORMAT,
  writes(
    "`application/json`; beside tools, and for models without JSON output, an instruction in the system prompt, which is listed",
  ),
);
generationConfig.slot(
  "responseJsonSchema",
  slot.OUTPUT_SCHEMA,
  writes("the client's bytes; before Gemini 2.5 `responseSchema`, in OpenAPI's subset"),
);
generationConfig.slot(
  "thinkingConfig",
  slot.EFFORT,
  writes(
    "a `thinkingLevel`, the next lower one if the model does not support it, which is listed; before Gemini 3 a `thinkingBudget` of 512 (minimal), 1024, 8192 or 24576; with `includeThoughts`",
  ),
);
generationConfig.slot(
  "thinkingConfig",
  slot.THINKING,
  writes(
    "a budget is sent as it is (512 to 24576) before Gemini 3, and is a level since; adaptive is a budget of -1",
  ),
);
generationConfig.slot("thinkingConfig.thinkingBudget", slot.THINKING_BUDGET);

export const declaration = new MemberTable(
  "tools[].functionDeclarations[].",
  "",
  object("A tool", "https://ai.google.dev/api/caching#FunctionDeclaration"),
);
declaration.slot("name", slot.TOOL_NAME);
declaration.slot("description", slot.TOOL_DESCRIPTION);
declaration.slot(
  "parametersJsonSchema",
  slot.TOOL_SCHEMA,
  writes(
    "the client's bytes; missing for a function without parameters; before Gemini 2.5 `parameters`, in OpenAPI's subset",
  ),
);

export const part = new MemberTable(
  "contents[].parts[].",
  "",
  object("A part", "https://ai.google.dev/api/caching#Part"),
);
part.slot("text", slot.TEXT);
part.slot(
  "inlineData",
  slot.IMAGE,
  writes(
    "data; a `gs://` URL that names the kind of file, or a file of the Gemini API, is `fileData`; any other URL is rejected",
  ),
);
part.slot("inlineData", slot.DOCUMENT, writes("as images"));
part.slot("functionCall", slot.TOOL_CALL);
part.slot(
  "functionCall.id",
  slot.CALL_ID,
  writes("Gemini 3 and newer; without the signature that it carries"),
);
part.slot("functionCall.name", slot.CALL_NAME);
part.slot(
  "functionCall.args",
  slot.CALL_ARGUMENTS,
  writes('empty becomes {}, and what is not a JSON object {"INVALID_JSON": the text}'),
);
part.slot(
  "thoughtSignature",
  slot.REASONING_SIGNATURE,
  writes(
    "only that of a call, which its id carries; in the running turn a call of another model gets Google's `skip_thought_signature_validator`, which is listed as `thought_signature`",
  ),
);
part.slot(
  "functionResponse",
  slot.TOOL_RESULT,
  writes(
    "those of one step in one content, in the order of its calls; what else the user sends is the next content",
  ),
);
part.slot("functionResponse.id", slot.RESULT_ID, writes("Gemini 3 and newer"));
part.slot(
  "functionResponse.response",
  slot.RESULT_ERROR,
  writes(
    "`{output}`, or `{error}` if the tool failed; media are `functionResponse.parts`, before Gemini 3 parts of the next content",
  ),
);

const DROPPED = "**dropped**, and listed";

/** The slots that the request has no member for, and what happens to them. */
export const NOT_WRITTEN: [number, string][] = [
  [slot.USER, DROPPED],
  [slot.PARALLEL_TOOL_CALLS, DROPPED],
  [slot.CACHE_CONTROL, `${DROPPED}: Gemini caches by itself`],
  [slot.REASONING, "ignored: Gemini does not read its thoughts again"],
  [slot.REASONING_DATA, "ignored: Gemini does not read its thoughts again"],
  [slot.DOCUMENT_TITLE, "ignored"],
  [slot.TOOL_STRICT, "→ `toolConfig.functionCallingConfig.mode`: VALIDATED, for all tools"],
];
