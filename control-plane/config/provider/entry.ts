// The schema of one entry of `llm_providers`.
import { z } from "zod";
import { flag, list, mapping, named, oneOf, text } from "../schema-words.ts";
import { affinityKey } from "../affinity-key.ts";
import { retryKeys } from "../retry-keys.ts";
import { entryProxySchema } from "../read-proxy.ts";
import type { Draft } from "../section.ts";
import { ADDRESS_KEY_RULES } from "./address-key-rules.ts";
import { guardrail, performance } from "./bedrock-policies.ts";
import { credential } from "./credential/credential-schema.ts";
import { modelLimits } from "./schema-limits.ts";

const REFERENCE_TO_KEY = "a reference to an environment variable, such as $OPENAI_API_KEY";

export const providerEntry = mapping(
  {
    model: z.string({ error: "<provider>/<model>, such as openai/gpt-4o" }).meta({
      description:
        "`<provider>/<model>`: the provider is the part before the first slash; the model name may contain slashes, dots and colons. A `*` at its end stands for any text: `openai/*` takes all models of a provider ([more](#wildcards)).",
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
          "The provider's key, always as a reference to an environment variable; a literal key is rejected. Several keys in a list are used in turn; if the provider rejects a key (401, 403, 429), the next key is tried.",
        examples: ["$OPENAI_API_KEY", "[$KEY_ONE, $KEY_TWO]"],
      })
      .optional(),
    credential: credential.optional(),
    default: flag({
      description:
        "Serves requests without a model (`model: none`). At most one entry; otherwise the first entry is the default.",
      default: false,
    }).optional(),
    name: text("Another name by which clients can call this model.").optional(),
    system_prompt: text(
      "Added before the client's system prompt, after the top-level `system_prompt`.",
    ).optional(),
    base_url: text(
      {
        description:
          "Address of the provider, http or https. Its path becomes the prefix of the request path; see “Base URLs”.",
        examples: ["https://llm.example.com/v1"],
      },
      "an http:// or https:// URL",
    ).optional(),
    provider_interface: text({
      description:
        "Wire format of `base_url`: `openai`, `anthropic`, `openai_responses`, `gemini`, `converse`, or the name of a provider, whose limits then apply too. Required for a provider that is not in docs/providers.md. For a provider with several formats it selects one; `openai` and `openai_responses` fix what the filter otherwise chooses for each request.",
      examples: ["openai", "anthropic"],
    }).optional(),
    resource: ADDRESS_KEY_RULES.resource.schema,
    api_version: ADDRESS_KEY_RULES.api_version.schema,
    project: ADDRESS_KEY_RULES.project.schema,
    location: ADDRESS_KEY_RULES.location.schema,
    region: ADDRESS_KEY_RULES.region.schema,
    workspace: ADDRESS_KEY_RULES.workspace.schema,
    account: ADDRESS_KEY_RULES.account.schema,
    gateway: ADDRESS_KEY_RULES.gateway.schema,
    base_path: text(
      {
        description:
          "What precedes the endpoint if `base_url` has no path, instead of the format's own `/v1`: `/` for an API at `https://host/chat/completions`.",
        examples: ["/"],
      },
      "a path such as / or /api/v3",
    ).optional(),
    http_host: text({
      description: "Value of the Host header for the provider, when it differs from the address.",
      examples: ["llm.example.com"],
    }).optional(),
    headers: named(
      text("Value of the header.", "a text (put numbers in quotes)"),
      "Headers to add to every request to the provider; they replace the client's headers. References in values stay secret.",
    ).optional(),
    prompt_caching: oneOf(["auto", "client"], {
      description:
        "`auto` adds what the provider's prompt cache needs to translated requests: cache marks to conversations, a cache key from the client's session ([more](caching.md)). `client` sends the client's own marks and keys alone.",
      default: "auto",
    }).optional(),
    guardrail: guardrail.optional(),
    performance: performance.optional(),
    limits: modelLimits.optional(),
    fallbacks: list(
      text("A configured model.", "the name of a configured model"),
      "Models to try, in this order, when this model fails: see docs/fallbacks.md.",
    ).optional(),
    affinity: affinityKey.optional(),
    retry: retryKeys.optional(),
    decompress_responses: flag({
      description:
        "Reads compressed responses (gzip, brotli) of a provider that sends them although the gateway asks for uncompressed ones. Without it, such a response is an error (502) that names this key.",
      default: false,
    }).optional(),
    proxy: entryProxySchema("this provider", "base_url").optional(),
    passthrough_auth: flag({
      description:
        "Sends the client's key to the provider, as Bearer or `x-api-key` as the provider requires, instead of an `access_key`. Keys of `api_keys` are never sent: see docs/securing.md.",
      default: false,
    }).optional(),
  },
  "One model of one provider.",
);

type ProviderEntry = z.output<typeof providerEntry>;
export type ProviderDraft = Draft<ProviderEntry>;
