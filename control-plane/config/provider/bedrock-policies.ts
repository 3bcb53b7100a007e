// `guardrail` and `performance` of an entry: what Amazon Bedrock applies to each request. Converse has members for both,
// InvokeModel of Claude headers. A client's own ones do not replace them.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_GuardrailStreamConfiguration.html
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html
import { z } from "zod";
import { BEDROCK_CONVERSE } from "../../../contract/dialects.ts";
import { BEDROCK_INVOKE } from "../../../contract/envelopes.ts";
import type { ProviderHeader, Target } from "../../../model/model.ts";
import type { Path } from "../../report/problem.ts";
import { showWord, type Reading } from "../reading.ts";
import { mapping, oneOf, text } from "../schema-words.ts";
import type { Draft } from "../section.ts";
import type { Connection } from "./provider-connection.ts";

const IDENTIFIER = "the id or ARN of a guardrail, such as gr1a2b3c4d5e";
const VERSION = "the version of a guardrail: a number, or DRAFT";
const KEYS = ["guardrail", "performance"] as const;

export const guardrail = mapping(
  {
    id: text(
      { description: "Id or ARN of the guardrail.", examples: ["gr1a2b3c4d5e"] },
      IDENTIFIER,
    ),
    version: z
      .union([z.string({ error: VERSION }), z.int({ error: VERSION })], { error: VERSION })
      .meta({ description: "Its version, or `DRAFT`.", examples: [1, "DRAFT"] }),
    trace: oneOf(["enabled", "disabled", "enabled_full"], {
      description:
        "Whether responses report what the guardrail found; `enabled_full` also reports what it did not find.",
      default: "disabled",
    }).optional(),
    stream: oneOf(["sync", "async"], {
      description:
        "Converse only. `sync` checks each part of a stream before it is sent, `async` after: it is faster, and what the guardrail would block may be seen.",
      default: "sync",
    }).optional(),
  },
  "Amazon Bedrock (`converse`, `claude`): the guardrail of every request. A client's `guardrailConfig` does not replace it. See docs/securing.md.",
);

export const performance = oneOf(["standard", "optimized"], {
  description:
    "Amazon Bedrock (`converse`, `claude`): the latency of every request, for models with latency-optimized inference.",
  default: "standard",
});

/** The two keys of an entry. */
type Policy = Draft<{
  guardrail?: z.output<typeof guardrail>;
  performance?: z.output<typeof performance>;
}>;
type Policies = Pick<Target, "policies" | "streamPolicies" | "headers">;

/** Returns the members and headers of both keys; reports keys that the entry's API does not have. */
export function readBedrockPolicies(
  reading: Reading,
  path: Path,
  entry: Policy,
  { dialect, envelope }: Pick<Connection, "dialect" | "envelope">,
  headers: ProviderHeader[],
): Policies {
  const isConverse = dialect === BEDROCK_CONVERSE;
  const isInvoke = envelope === BEDROCK_INVOKE.name;
  for (const key of KEYS) {
    if (entry[key] === undefined || isConverse || isInvoke) continue;
    reading.problem([...path, key], `${showWord(dialect.title)} has no ${key}`, {
      part: "key",
      hint: `${key} is a key of bedrock with provider_interface converse or claude; remove it`,
    });
  }
  checkGuardrail(reading, [...path, "guardrail"], entry.guardrail, isInvoke);
  const { id, version, trace, stream } = entry.guardrail ?? {};
  if (isInvoke) {
    const own = [
      ["x-amzn-bedrock-guardrailidentifier", id],
      ["x-amzn-bedrock-guardrailversion", version],
      ["x-amzn-bedrock-trace", trace?.toUpperCase()],
      ["x-amzn-bedrock-performanceconfig-latency", entry.performance],
    ].flatMap(([name, value]): ProviderHeader[] =>
      name === undefined || value === undefined
        ? []
        : [{ name: String(name), parts: [{ text: String(value) }] }],
    );
    for (const { name } of own) {
      if (headers.some((header) => header.name === name))
        reading.problem([...path, "headers"], `${name} is set twice: by a key of the entry too`);
    }
    return { headers: [...headers, ...own] };
  }
  if (!isConverse) return { headers };
  const config =
    entry.guardrail === undefined
      ? undefined
      : {
          guardrailIdentifier: id,
          guardrailVersion: version === undefined ? undefined : String(version),
          trace,
        };
  const latency = entry.performance === undefined ? undefined : { latency: entry.performance };
  const policies = membersOf({ guardrailConfig: config, performanceConfig: latency });
  const streamPolicies = membersOf({
    guardrailConfig: config && { ...config, streamProcessingMode: stream },
    performanceConfig: latency,
  });
  return {
    ...(policies === "" ? {} : { policies }),
    ...(policies === streamPolicies ? {} : { streamPolicies }),
    headers,
  };
}

/** Returns members as JSON, each after a comma. */
function membersOf(members: Readonly<Record<string, object | undefined>>): string {
  const json = JSON.stringify(members).slice(1, -1);
  return json === "" ? "" : `,${json}`;
}

function checkGuardrail(
  reading: Reading,
  path: Path,
  given: Policy["guardrail"],
  isInvoke: boolean,
): void {
  if (given === undefined) return;
  const { id, version, stream } = given;
  const isId =
    /^(?:[a-z0-9]+|arn:aws(?:-[^:]+)?:bedrock:[a-z0-9-]{1,20}:\d{12}:guardrail\/[a-z0-9]+)$/;
  if (id !== undefined && !isId.test(id)) {
    const at = [...path, "id"];
    reading.problem(at, `expected ${IDENTIFIER}, not ${reading.show(at, id)}`);
  }
  if (version !== undefined && !/^(?:[1-9]\d{0,7}|DRAFT)$/.test(String(version))) {
    const at = [...path, "version"];
    reading.problem(at, `expected ${VERSION}, not ${reading.show(at, String(version))}`);
  }
  if (isInvoke && stream !== undefined) {
    reading.problem([...path, "stream"], "InvokeModel has no header for it", {
      part: "key",
      hint: "remove it, or write provider_interface: converse",
    });
  }
}
