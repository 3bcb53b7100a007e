// `prompt_targets`: names that exist and each once, and a call of the backend that can always be written.
import type { z } from "zod";
import type { PromptTarget } from "../../../model/prompts.ts";
import type { Path } from "../../report/problem.ts";
import { suggest, suggestion } from "../../report/suggest.ts";
import { parameter, readParameters } from "../prompt/parameters.ts";
import { readTargetPath } from "../prompt/path.ts";
import { readHeaders } from "../provider/provider-headers.ts";
import { readSystemPrompt } from "../provider/system-prompt.ts";
import type { Reading } from "../reading.ts";
import { flag, list, mapping, named, oneOf, text } from "../schema-words.ts";
import { endpoints } from "./endpoints.ts";
import { type Draft, type Load, section } from "../section.ts";

const promptTarget = mapping(
  {
    name: text("Target name: letters, digits, `_` and `-`. Used for the selection."),
    description: text("What the target does, in one sentence. Used for the selection."),
    examples: list(
      text("An example prompt."),
      "Three to five example prompts, which improve the selection.",
    ).optional(),
    default: flag({
      description:
        "Handles prompts that match no other target, and receives the conversation as `messages` in its JSON body. At most one target.",
      default: false,
    }).optional(),
    parameters: list(parameter, "Parameters to extract from the prompt.").optional(),
    endpoint: mapping(
      {
        name: text("Name of an entry in `endpoints`."),
        path: text({
          description:
            "Backend path; may contain `{parameter}` placeholders and a query string. Parameters that are not in it go to the query (GET) or into a JSON body (POST).",
          default: "/",
        }).optional(),
        http_method: oneOf(["GET", "POST"], {
          description: "HTTP method. The default target uses `POST` unless configured.",
          default: "GET",
        }).optional(),
        http_headers: named(
          text("Value of the header."),
          "Headers to send to the backend. References in values stay secret.",
        ).optional(),
      },
      "The backend call.",
    ).optional(),
    system_prompt: text(
      "System prompt for the language model that writes the response from the backend's text, and the questions with `questions: model`.",
    ).optional(),
    questions: oneOf(["template", "model"], {
      description:
        "Who asks the user for missing values: `template` a sentence of the gateway, `model` the language model under `system_prompt`.",
      default: "template",
    }).optional(),
    auto_llm_dispatch_on_response: flag({
      description:
        "Whether a language model writes the response from the backend's text; if `false`, the backend's text is the response.",
      default: true,
    }).optional(),
  },
  "One prompt target.",
);

const schema = list(
  promptTarget,
  "Backend calls that a prompt on the ingress listener can trigger: see docs/prompt-targets.md.",
);

type Entry = Draft<z.output<typeof promptTarget>>;

export const promptTargets = section({
  key: "prompt_targets",
  schema,
  read(load, entries = []) {
    return { prompt: { targets: readPromptTargets(load, entries) } };
  },
});

/** What OpenAI and Anthropic take as the name of a tool. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

function readPromptTargets(
  { reading, model, part }: Load,
  entries: readonly (Entry | undefined)[],
): PromptTarget[] {
  refuseTwice(reading, ["prompt_targets"], entries, "prompt target");
  refuseSecondDefault(reading, entries);
  const names = Object.keys(part(endpoints) ?? {});
  const known = new Set(model.prompt?.endpoints?.map(({ name }) => name));
  return entries.flatMap((entry, index): PromptTarget[] => {
    if (entry === undefined) return [];
    const target = readTarget(reading, ["prompt_targets", index], entry, names);
    return target !== undefined && known.has(target.endpoint) ? [target] : [];
  });
}

function readTarget(
  reading: Reading,
  path: Path,
  entry: Entry,
  endpoints: readonly string[],
): PromptTarget | undefined {
  checkToolName(reading, [...path, "name"], entry.name);
  const description = wordsOf(reading, [...path, "description"], entry.description);
  refuseTwice(reading, [...path, "parameters"], entry.parameters ?? [], "parameter");
  const parameters = readParameters(reading, [...path, "parameters"], entry.parameters ?? []);
  const endpoint = checkEndpoint(reading, path, entry, endpoints);
  const at = [...path, "endpoint"];
  const isWhole = parameters.length === (entry.parameters ?? []).length;
  const written = readTargetPath(reading, [...at, "path"], entry.endpoint?.path, {
    parameters,
    // A placeholder of a parameter that was misread gets no second complaint.
    knowsAll: isWhole,
  });
  const headers = readTargetHeaders(reading, [...at, "http_headers"], entry);
  const systemPrompt = readSystemPrompt(reading, [...path, "system_prompt"], entry.system_prompt);
  if (entry.default === true) checkDefault(reading, path, parameters);
  if (entry.name === undefined || description === undefined || endpoint === undefined) {
    return undefined;
  }
  return {
    name: entry.name,
    description,
    examples: readExamples(reading, [...path, "examples"], entry.examples ?? []),
    endpoint,
    // The conversation, which a default target gets, needs a body.
    method: entry.endpoint?.http_method ?? (entry.default === true ? "POST" : "GET"),
    path: written,
    headers,
    parameters,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(entry.questions === "model" ? { questions: "model" as const } : {}),
    isDefault: entry.default === true,
    dispatches: entry.auto_llm_dispatch_on_response !== false,
  };
}

function checkToolName(reading: Reading, path: Path, name: string | undefined): void {
  if (name === undefined || TOOL_NAME.test(name)) return;
  const shown = reading.show(path, name);
  reading.problem(path, `${shown} cannot be the name of a prompt target`, {
    hint: "1 to 64 letters, digits, _ and -: language models see it as the name of a tool",
  });
}

function checkEndpoint(
  reading: Reading,
  path: Path,
  entry: Entry,
  known: readonly string[],
): string | undefined {
  const name = entry.endpoint?.name;
  if (entry.endpoint === undefined) {
    if (!Object.hasOwn(entry, "endpoint")) {
      reading.problem(path, "endpoint is missing; expected the backend call", {
        hint: "for example endpoint: {name: weather_api, path: /weather}",
      });
    }
    return undefined;
  }
  if (name === undefined || known.includes(name)) return name;
  const at = [...path, "endpoint", "name"];
  reading.problem(at, `no endpoint is called ${reading.show(at, name)}`, {
    hint: suggestion(suggest(name, known)) ?? "add it to endpoints",
  });
  return undefined;
}

function readTargetHeaders(reading: Reading, path: Path, entry: Entry): PromptTarget["headers"] {
  const headers = readHeaders(
    reading,
    path,
    entry.endpoint?.http_headers ?? {},
    entry.endpoint?.name,
  );
  for (const written of Object.keys(entry.endpoint?.http_headers ?? {})) {
    if (written.toLowerCase() !== "x-request-id") continue;
    reading.problem([...path, written], "the gateway sends the request's own id in this header", {
      part: "key",
    });
  }
  return headers;
}

function readExamples(
  reading: Reading,
  path: Path,
  examples: readonly (string | undefined)[],
): string[] {
  return examples.flatMap((example, index) => {
    const words = wordsOf(reading, [...path, index], example);
    return words === undefined ? [] : [words];
  });
}

/** Text that the choice of a target can be made by. */
function wordsOf(reading: Reading, path: Path, written: string | undefined): string | undefined {
  const text = readSystemPrompt(reading, path, written);
  if (written?.trim() === "") reading.problem(path, "the text is empty");
  return text;
}

function refuseSecondDefault(reading: Reading, entries: readonly (Entry | undefined)[]): void {
  const defaults = entries.flatMap((entry, index) => (entry?.default === true ? [index] : []));
  const [first, ...more] = defaults;
  for (const index of more) {
    const { line } = reading.document.place(["prompt_targets", first ?? 0, "default"]);
    reading.problem(["prompt_targets", index, "default"], "a second default prompt target", {
      hint: `the first one is in line ${line}; there can be one`,
    });
  }
}

/** A default target is called for prompts that are about something else, so nothing is extracted for it. */
function checkDefault(reading: Reading, path: Path, parameters: PromptTarget["parameters"]): void {
  const conversation = parameters.findIndex(({ name }) => name === "messages");
  if (conversation >= 0) {
    reading.problem(
      [...path, "parameters", conversation, "name"],
      "the default target has a parameter called messages",
      {
        hint: "the conversation is sent under this name; use a different name",
      },
    );
  }
  const required = parameters.find((one) => one.required && one.default === undefined);
  if (required === undefined) return;
  const shown = reading.show([...path, "parameters"], required.name);
  reading.problem([...path, "default"], `the default target requires the parameter ${shown}`, {
    hint: "it handles prompts that match no target, so no value is extracted; set a default",
  });
}

function refuseTwice(
  reading: Reading,
  path: Path,
  items: readonly ({ name?: string | undefined } | undefined)[],
  what: string,
): void {
  const seen = new Map<string, number>();
  items.forEach((item, index) => {
    const name = item?.name;
    if (name === undefined) return;
    const first = seen.get(name);
    if (first === undefined) {
      seen.set(name, index);
      return;
    }
    const at = [...path, index, "name"];
    const { line } = reading.document.place([...path, first, "name"]);
    reading.problem(at, `two ${what}s are called ${reading.show(at, name)}`, {
      hint: `the first one is in line ${line}; use a different name`,
    });
  });
}
