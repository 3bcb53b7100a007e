// What the playground knows of the three formats of clients: the body of a request, and where the text of a response is.

export const DIALECT_NAMES = {
  openai_chat: "OpenAI Chat Completions",
  anthropic_messages: "Anthropic Messages",
  openai_responses: "OpenAI Responses",
};

const BODIES = {
  openai_chat: ({ system, prompt, maxTokens }) => ({
    max_tokens: maxTokens,
    messages: [
      ...(system === "" ? [] : [{ role: "system", content: system }]),
      { role: "user", content: prompt },
    ],
  }),
  anthropic_messages: ({ system, prompt, maxTokens }) => ({
    max_tokens: maxTokens,
    ...(system === "" ? {} : { system }),
    messages: [{ role: "user", content: prompt }],
  }),
  openai_responses: ({ system, prompt, maxTokens }) => ({
    max_output_tokens: maxTokens,
    ...(system === "" ? {} : { instructions: system }),
    input: prompt,
  }),
};

/** Returns the body of a request. */
export function bodyOf(name, form) {
  return {
    model: form.model,
    ...(form.isStream ? { stream: true } : {}),
    ...BODIES[name](form),
  };
}

const join = (parts) => (parts ?? []).map((part) => part?.text ?? "").join("");

const TEXTS = {
  openai_chat: ({ choices }) =>
    choices?.[0]?.delta?.content ?? choices?.[0]?.message?.content ?? "",
  anthropic_messages: ({ delta, content }) => delta?.text ?? join(content),
  openai_responses: ({ type, delta, output }) =>
    type === "response.output_text.delta"
      ? delta
      : (output ?? []).map(({ content }) => join(content)).join(""),
};

/** Returns the text of an event, or of a whole response. */
export function textOf(name, value) {
  const text = TEXTS[name](value);
  return typeof text === "string" ? text : "";
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns the same request for a shell, with the key as a variable. */
export function curlOf({ url, keyVariable }, { path, headers, credential }, body) {
  const lines = [
    `curl ${url}${path}`,
    "  -H 'content-type: application/json'",
    ...headers.map(({ name, value }) => `  -H '${name}: ${value}'`),
    ...(keyVariable === undefined
      ? []
      : [`  -H "${credential.header}: ${credential.prefix}$${keyVariable}"`]),
    ...(body.stream === true ? ["  --no-buffer"] : []),
    `  -d ${quoted(JSON.stringify(body))}`,
  ];
  return lines.join(" \\\n");
}
