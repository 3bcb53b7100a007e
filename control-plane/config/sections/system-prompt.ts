// `system_prompt`: the system text of every model; `llm_providers` reads it.
import { text } from "../schema-words.ts";
import { section } from "../section.ts";

export const systemPrompt = section({
  key: "system_prompt",
  schema: text("Added before the client's system prompt, for every model."),
});
