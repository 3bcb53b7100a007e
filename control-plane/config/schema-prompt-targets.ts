// The shape of prompt targets, of the backends that they call, of the guard and of the model server.
import { z } from "zod";
import { JSON_SCHEMA_TYPES, PARAMETER_TYPES } from "../ir/prompt.ts";
import { duration, flag, list, mapping, named, number, oneOf, text } from "./schema-words.ts";

const JSON_TYPES = Object.keys(JSON_SCHEMA_TYPES) as (keyof typeof JSON_SCHEMA_TYPES)[];

const parameter = mapping(
  {
    name: text("Parameter name: a letter or `_`, then letters, digits, `_`, `-` and `.`."),
    description: text("What the parameter means; also what a user is asked for."),
    required: flag({
      description: "Whether the parameter must be obtained.",
      default: false,
    }).optional(),
    type: oneOf([...PARAMETER_TYPES, ...JSON_TYPES], {
      description: "Type of the value. The last six are JSON Schema's names of the first six.",
      default: "str",
    }).optional(),
    in_path: flag({
      description: "The parameter is substituted into the endpoint's path.",
      default: false,
    }).optional(),
    allow_slashes: flag({
      description:
        "Whether a value in the path may hold `/` and `\\`. They are sent encoded, and some servers decode a path before they route it. Parts that are empty or consist of dots are refused in any case.",
      default: false,
    }).optional(),
    default: z
      .union([z.string(), z.number(), z.boolean()], { error: "a text, a number, true or false" })
      .meta({
        description: "Value when the prompt does not say one. It has to fit `type` and `enum`.",
      })
      .optional(),
    enum: list(z.union([z.string(), z.number()]), "The values that are allowed.").optional(),
    format: text({
      description: "Format of the value, for whoever extracts it.",
      examples: ["YYYY-MM-DD"],
    }).optional(),
  },
  "One parameter to extract from the prompt.",
);

export const promptTarget = mapping(
  {
    name: text("Target name: letters, digits, `_` and `-`. The choice of a target reads it."),
    description: text("What the target does, in a sentence. The choice of a target reads it."),
    examples: list(
      text("A prompt that means this target."),
      "Three to five prompts that mean this target: they make the choice more certain.",
    ).optional(),
    default: flag({
      description:
        "Takes the prompts that match no other target, and gets the conversation as `messages` in its JSON body. One target at most.",
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
          description: "HTTP method; `POST` for the default target unless said otherwise.",
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
      "Put before the conversation when a language model writes the answer from the backend's.",
    ).optional(),
    auto_llm_dispatch_on_response: flag({
      description:
        "Whether a language model writes the answer from the backend's; `false` answers with the backend's own text.",
      default: true,
    }).optional(),
  },
  "One prompt target.",
);

export const endpoint = mapping(
  {
    endpoint: text(
      "Backend address, `<host>:<port>` or `<host>` (port 443 for https, 80 for http).",
      "<host>:<port>",
    ),
    protocol: oneOf(["http", "https"], {
      description: "Protocol to the backend.",
      default: "http",
    }).optional(),
    connect_timeout: duration({
      description: "Longest time to connect.",
      default: "5s",
    }).optional(),
    http_host: text(
      "Value of the Host header for the backend, when it differs from the address.",
    ).optional(),
  },
  "One backend.",
);

const jailbreak = mapping(
  {
    on_exception: mapping(
      { message: text("The reply to a prompt that the guard refuses.") },
      "What happens when the guard triggers.",
    ).optional(),
    on_failure: oneOf(["refuse", "allow"], {
      description:
        "What happens to a prompt when the guard cannot be asked: `refuse` answers 503, `allow` lets it pass.",
      default: "refuse",
    }).optional(),
  },
  "Guard against jailbreaks: the last message of the user on the ingress listener is checked.",
);

export const promptGuards = mapping(
  {
    input_guards: mapping(
      { jailbreak: jailbreak.optional() },
      "Guards of what clients send.",
    ).optional(),
  },
  "Guards of the ingress listener.",
);

const REMOTE = {
  model: text("The model's name at that address.").optional(),
  access_key: text(
    "Its key, as a reference to an environment variable.",
    "a reference to an environment variable, such as $EMBEDDINGS_KEY",
  ).optional(),
  transformers: text(
    "A model for `@huggingface/transformers`, which has to be installed beside the gateway: a directory (absolute, or `~/…`) or a name of the hub.",
  ).optional(),
};

const embeddings = mapping(
  {
    directory: text(
      "A directory with `model.onnx` and `tokenizer.json`: absolute, or below the home directory as `~/…`.",
    ).optional(),
    base_url: text("An address that speaks OpenAI's `/embeddings`, without that word.").optional(),
    ...REMOTE,
  },
  "The model that makes vectors of sentences: one of `directory`, `base_url` (with `model`) and `transformers`. Without it the embedded all-MiniLM-L6-v2.",
);

const classifier = {
  directory: text(
    "A directory with `model.onnx`, `tokenizer.json` and `config.json` (which has the labels): absolute, or below the home directory as `~/…`.",
  ).optional(),
  url: text(
    "An address that answers in the shape of the model server's own: see docs/model-server.md.",
  ).optional(),
  ...REMOTE,
};

export const modelServer = mapping(
  {
    embeddings: embeddings.optional(),
    zeroshot: mapping(
      classifier,
      "The model that chooses a target (natural-language inference): one of `directory`, `url` and `transformers`. Without it the similarity of embeddings.",
    ).optional(),
    guard: mapping(
      {
        ...classifier,
        threshold: number(0, 1, {
          description: "How sure the guard has to be, 0 to 1.",
          default: 0.7,
        }).optional(),
      },
      "The model that finds jailbreaks (text classification): one of `directory`, `url` and `transformers`. Without it a small one of our own.",
    ).optional(),
    extraction: oneOf(["auto", "embedded", "llm"], {
      description:
        "Who finds the parameters of a target: `embedded` never asks a language model, `llm` always does, `auto` where the embedded extractor is not sure.",
      default: "auto",
    }).optional(),
    provider: text(
      "The configured model that is asked, instead of the default one.",
      "the name of a configured model",
    ).optional(),
  },
  "Settings of the model server, which chooses targets and finds their parameters.",
);
