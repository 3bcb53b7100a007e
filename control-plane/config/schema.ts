// The shape of gateway.yaml: every key with its type and its meaning. The JSON Schema, the reference page and validation come from here.
import { z } from "zod";
import { INTERFACES } from "../providers/registry.ts";
import { retry, retryOfAll } from "./schema-retry.ts";
import { modelLimits } from "./provider/schema-limits.ts";
import { ratelimit, ratelimitService } from "./schema-rate-limits.ts";
import { endpoint, modelServer, promptGuards, promptTarget } from "./schema-prompt-targets.ts";
import {
  duration,
  flag,
  list,
  mapping,
  named,
  number,
  oneOf,
  size,
  text,
  whole,
} from "./schema-words.ts";
import { upstream } from "./schema-upstream.ts";

// --- listeners ---

const LISTENER_KEYS = {
  type: oneOf(
    ["ingress", "egress", "prompt", "model"],
    "`ingress` takes prompts, `egress` calls models; `prompt` and `model` mean the same. Without it the name decides (`ingress`, `my_egress`), then the port (10000 or 12000).",
  ).optional(),
  address: text(
    {
      description:
        "IP address to listen on: `0.0.0.0` is every interface, `127.0.0.1` this machine only. In the container image the default is `0.0.0.0` (variable `GATEWAY_DEFAULT_ADDRESS`).",
      default: "127.0.0.1",
    },
    "an IP address such as 0.0.0.0 or 127.0.0.1",
  ).optional(),
  port: whole(
    1,
    65535,
    "Port to listen on. Default: 10000 for ingress, 12000 for egress.",
    "port number",
  ).optional(),
  message_format: text({
    description:
      "Wire format of the listener: `openai` (chat completions). Egress answers the messages format too, by path.",
    default: "openai",
  }).optional(),
  timeout: duration({
    description:
      "Longest time for a complete answer. For a stream: longest time to the first byte, and between two bytes, so that a healthy stream is never cut.",
    default: "30s",
  }).optional(),
  api_keys: list(
    text(
      { description: "A reference to a key.", examples: ["$TEAM_KEY"] },
      "a reference to an environment variable, such as $TEAM_KEY",
    ),
    "Keys of which a client has to send one, as references to environment variables: see docs/securing.md. Without it anybody who reaches the listener may use it.",
  ).optional(),
  tls: mapping(
    {
      certificate: text(
        {
          description:
            "PEM file of the server's certificate, followed by those between it and its authority. A path relative to the configuration file, or absolute.",
          examples: ["tls/tls.crt"],
        },
        "the path of a PEM file",
      ),
      key: text(
        { description: "PEM file of the certificate's private key.", examples: ["tls/tls.key"] },
        "the path of a PEM file",
      ),
    },
    "TLS for clients, 1.2 at least, HTTP/2 and HTTP/1.1. New files are taken up while the gateway runs.",
  ).optional(),
};

const LISTENERS = "a mapping from names to listeners, or a list of listeners";

const listenersByName = z
  .record(z.string(), mapping(LISTENER_KEYS, "One listener."), { error: LISTENERS })
  .meta({
    description: "Listeners by name: `ingress`, `egress`, or names of your own with a `type`.",
  });

const listenersAsList = list(
  mapping(
    {
      name: text("Name of the listener, for people.").optional(),
      ...LISTENER_KEYS,
    },
    "One listener.",
  ),
  "Listeners as a list, in place of the mapping.",
);

const listeners = z.union([listenersByName, listenersAsList], { error: LISTENERS }).meta({
  description:
    "Where clients connect. A listener that is not in the file has its defaults: ingress on 10000, egress on 12000.",
});

// --- providers ---

const INTERFACE_WORDS = [...INTERFACES.keys()];

const REFERENCE_TO_KEY = "a reference to an environment variable, such as $OPENAI_API_KEY";

const provider = mapping(
  {
    model: z.string({ error: "<provider>/<model>, such as openai/gpt-4o" }).meta({
      description:
        "`<provider>/<model>`: the provider is what stands before the first slash; the model's own name may hold more slashes, dots and colons.",
      examples: ["openai/gpt-4o", "together_ai/meta-llama/Llama-3.3-70B-Instruct-Turbo"],
      pattern: "^[^/]+/.+$",
    }),
    access_key: z
      .union(
        [
          z.string({ error: REFERENCE_TO_KEY }),
          z.array(z.string({ error: REFERENCE_TO_KEY }), { error: REFERENCE_TO_KEY }),
        ],
        { error: `${REFERENCE_TO_KEY}, or a list of them` },
      )
      .meta({
        description:
          "The provider's key, always as a reference to an environment variable; a literal key is refused. Several keys as a list take turns, and another one is tried where one is refused (401, 403, 429).",
        examples: ["$OPENAI_API_KEY", "[$KEY_ONE, $KEY_TWO]"],
      })
      .optional(),
    default: flag({
      description:
        "Serves the requests that choose no model (`model: none`). One entry at most; without it the first entry does.",
      default: false,
    }).optional(),
    name: text("Another name by which clients can call this model.").optional(),
    system_prompt: text(
      "Put before the client's own system text, after the top-level `system_prompt`.",
    ).optional(),
    base_url: text(
      {
        description:
          "Another address for the provider, http or https. Its path becomes the prefix of the request path; see “Base URLs”.",
        examples: ["https://llm.example.com/v1"],
      },
      "an http:// or https:// URL",
    ).optional(),
    provider_interface: text({
      description: `Wire format of \`base_url\`: ${INTERFACE_WORDS.map((word) => `\`${word}\``).join(", ")}. Required for a provider that is not in the table.`,
      examples: ["openai", "anthropic"],
    }).optional(),
    http_host: text({
      description: "Value of the Host header for the provider, when it differs from the address.",
      examples: ["llm.example.com"],
    }).optional(),
    headers: named(
      text("Value of the header.", "a text (put numbers in quotes)"),
      "Headers to add to every request to the provider; they replace the client's. References in values stay secret.",
    ).optional(),
    limits: modelLimits.optional(),
    fallbacks: list(
      text("A configured model.", "the name of a configured model"),
      "Models to ask, in this order, when this one fails: see docs/fallbacks.md.",
    ).optional(),
    retry: retry.optional(),
    passthrough_auth: flag({
      description:
        "Sends the client's own key to the provider, as Bearer or `x-api-key` as the provider wants it, in place of an `access_key`. A key of `api_keys` is never sent: see docs/securing.md.",
      default: false,
    }).optional(),
  },
  "One model of one provider.",
);

// --- the rest ---

const alias = mapping(
  {
    target: text(
      "The configured model that the alias stands for: `<provider>/<model>`, its `name`, or its bare model name.",
      "the name of a configured model",
    ).optional(),
    targets: list(
      mapping(
        {
          model: text("A configured model.", "the name of a configured model"),
          weight: whole(0, 1000, {
            description: "Share of the requests that come to this model first; 0 is none.",
            default: 1,
          }).optional(),
        },
        "One of several models.",
      ),
      "Several models in place of `target`, which share the requests by weight. When one fails, the others are asked in this order.",
    ).optional(),
    fallbacks: list(
      text("A configured model.", "the name of a configured model"),
      "Models to ask, in this order, when all of the above fail. Without it those of the models themselves.",
    ).optional(),
    retry: retry.optional(),
  },
  "One alias.",
);

const limits = mapping(
  {
    request_body: size(
      { description: "Largest request body; a larger one is answered with 413.", default: "32MiB" },
      "1KiB",
      "512MiB",
    ).optional(),
    request_headers: size(
      {
        description: "Largest request head, all headers together, rounded up to whole KiB.",
        default: "60KiB",
      },
      "4KiB",
      "8MiB",
    ).optional(),
    memory: size(
      {
        description:
          "Memory that Envoy may use, for the requests under way above all. Default: half of what the machine or the container has. Near it new requests are answered with 503: see docs/overload.md.",
        examples: ["1GiB"],
      },
      "32MiB",
      "1024GiB",
    ).optional(),
    connections: whole(1, 1_000_000, {
      description:
        "Connections of clients, of all listeners together. One more is closed at once, before it can ask anything.",
      default: 20_000,
    }).optional(),
    concurrent_requests: whole(1, 1_000_000, {
      description:
        "Requests under way at one provider's address. One more is answered with 503 and `retry-after`, or goes to the next target where there is one.",
      default: 10_000,
    }).optional(),
  },
  "Sizes that the gateway accepts.",
);

const accessLog = mapping(
  {
    directory: text(
      {
        description:
          "Directory of the access logs: absolute, or below the home directory as `~/…`.",
        default: "~/gateway_logs",
      },
      "an absolute path, or one that begins with ~/",
    ).optional(),
    max_file_size: size(
      { description: "A log file that is larger is rotated.", default: "100MiB" },
      "64KiB",
      "64GiB",
    ).optional(),
    keep_files: whole(0, 1000, {
      description: "How many rotated files of each log are kept.",
      default: 5,
    }).optional(),
  },
  "Where the access logs are written and how long they are kept.",
);

const overrides = mapping(
  {
    prompt_target_intent_matching_threshold: number(
      0,
      1,
      "How sure the choice of a prompt target has to be, 0 to 1. A larger number chooses less often.",
    ).optional(),
    strict_translation: flag({
      description:
        "Answers 400, naming the member, where a member of a request would be left out because the model or its format cannot take it. Without it the response header `x-gateway-dropped` names what was left out.",
      default: false,
    }).optional(),
  },
  "Settings for experts.",
);

const tracing = mapping(
  { random_sampling: number(0, 100, "Percentage of requests that are traced.").optional() },
  "Tracing.",
);

const CONFIGURATION = {
  version: text(
    { description: "Version of the configuration's schema.", default: "v0.1.0" },
    "v0.1.0",
  ).optional(),
  listeners: listeners.optional(),
  llm_providers: list(
    provider,
    "The models that clients can call, one entry each. One at least is needed.",
  ).optional(),
  model_providers: list(
    provider,
    "The newer name of `llm_providers`: the same list. Use one of the two.",
  ).optional(),
  system_prompt: text("Put before the client's own system text, for every model.").optional(),
  model_aliases: named(
    alias,
    "Other names for configured models: `fast: {target: openai/gpt-4o-mini}`. A name is matched exactly; an alias cannot stand for another alias.",
  ).optional(),
  limits: limits.optional(),
  upstream: upstream.optional(),
  access_log: accessLog.optional(),
  overrides: overrides.optional(),
  prompt_guards: promptGuards.optional(),
  prompt_targets: list(
    promptTarget,
    "Backend calls that a prompt on the ingress listener can trigger: see docs/prompt-targets.md.",
  ).optional(),
  endpoints: named(endpoint, "Backends of the prompt targets.").optional(),
  model_server: modelServer.optional(),
  ratelimits: list(ratelimit, "What clients may use of a model in a unit of time.").optional(),
  ratelimit_service: ratelimitService.optional(),
  retry: retryOfAll.optional(),
  tracing: tracing.optional(),
  mode: text("How the gateway is run.").optional(),
};

export const configurationSchema = z
  .strictObject(CONFIGURATION, { error: "a mapping (`key: value` lines)" })
  .meta({
    title: "Configuration of the gateway",
    description:
      "gateway.yaml: the models that clients can call, where the gateway listens, and its limits.",
  });

/** What a file that fits the schema holds. */
export type Configuration = z.infer<typeof configurationSchema>;
export type ProviderEntry = z.infer<typeof provider>;
