// A conversation with the model server as the filter leads it: selection, extraction, check of the values.
import { fromDescription } from "../../../../control-plane/model-server/extraction/parameter.ts";
import {
  type ModelServerInput,
  modelServerOptions,
} from "../../../../control-plane/model-server/options.ts";
import type { Message, Running, Zeroshot } from "./running.ts";

interface Completion {
  choices: {
    message: { content: string | null; tool_calls?: { function: { arguments: string } }[] };
  }[];
}
/** A call of a target with its values, a question, or nothing: the prompt goes to its model. */
export type Turn = { target: string; values: unknown } | string | null;

const ANSWER = "Here you are.";

/** Returns what becomes of each turn of the user. */
export async function talk(
  server: Running,
  targets: NonNullable<ModelServerInput["targets"]>,
  turns: readonly string[],
): Promise<Turn[]> {
  const described = modelServerOptions.parse({ targets }).targets;
  const messages: Message[] = [];
  const results: Turn[] = [];
  for (const content of turns) {
    messages.push({ role: "user", content });
    const result = await oneTurn(server, described, messages);
    results.push(result);
    messages.push({ role: "assistant", content: typeof result === "string" ? result : ANSWER });
  }
  return results;
}

type Targets = ReturnType<typeof modelServerOptions.parse>["targets"];

async function oneTurn(server: Running, targets: Targets, messages: Message[]): Promise<Turn> {
  const post = async <Body>(path: string, body: object) =>
    (await (await server.post(path, body)).json()) as Body;
  const chosen = await post<Zeroshot>("/zeroshot", {
    input: messages.at(-1)?.content,
    messages,
    labels: targets.map(({ name }) => name),
    descriptions: Object.fromEntries(targets.map(({ name, description }) => [name, description])),
    parameters: Object.fromEntries(
      targets.map(({ name, parameters }) => [name, parameters.map((parameter) => parameter.name)]),
    ),
  });
  const target = targets.find(({ name }) => name === chosen.predicted_class);
  if (chosen.decision === "none" || target === undefined) return null;
  const { choices } = await post<Completion>("/v1/chat/completions", {
    messages,
    tools: [toolOf(target)],
    metadata: { decision: chosen.decision },
  });
  const message = choices[0]?.message;
  const call = message?.tool_calls?.[0]?.function;
  if (call === undefined) return message?.content ?? null;
  const values = JSON.parse(call.arguments) as object;
  const checked = await post<{ missing: string[]; question?: string }>("/hallucination", {
    prompt: messages
      .filter(({ role }) => role === "user")
      .map(({ content }) => content)
      .join("\n"),
    parameters: values,
    target: target.name,
  });
  return checked.question ?? { target: target.name, values };
}

function toolOf({ name, description, parameters }: Targets[number]) {
  const properties = parameters
    .map(fromDescription)
    .map(({ name: key, required: _, ...property }) => [key, property]);
  const required = parameters.filter((parameter) => parameter.required).map((one) => one.name);
  return {
    type: "function",
    function: {
      name,
      description,
      parameters: {
        type: "object",
        properties: Object.fromEntries(properties) as object,
        required,
      },
    },
  };
}
