// `observability`: usage records of all requests, and where the metrics made from them are served.
import { isIP } from "node:net";
import type { Observability, SignIn } from "../../../model/model.ts";
import { isLoopback } from "../../../model/listener-url.ts";
import { socketText } from "../read-address.ts";
import { contentSchema, readContent } from "../observability/read-content-rules.ts";
import { readSignIn, signInSchema } from "../observability/sign-in.ts";
import { otlpSchema, readOtlp } from "../observability/otlp.ts";
import { readKeyReference } from "../provider/access-key.ts";
import { readRetention, retentionSchema } from "../observability/retention.ts";
import type { Reading } from "../reading.ts";
import { flag, mapping, text, whole } from "../schema-words.ts";
import type { Draft } from "../section.ts";
import { section } from "../section.ts";

const ADDRESS = "127.0.0.1";
/** The usual port of OpenTelemetry's Prometheus exporters. */
const PORT = 9464;
const MIN_TOKEN = 16;

const TOKEN_HINT =
  "write token: $METRICS_TOKEN, and put a long random text in the environment or in .env as METRICS_TOKEN=… (openssl rand -hex 32)";

const schema = mapping(
  {
    metrics: mapping(
      {
        address: text(
          { description: "IP address that both are served on.", default: ADDRESS },
          "an IP address",
        ).optional(),
        port: whole(1, 65535, { description: "Its port.", default: PORT }, "port").optional(),
        token: text(
          {
            description:
              "A reference to an environment variable. Programs must send its value as `Authorization: Bearer`, people type it into a form; required unless `address` is a loopback address.",
            examples: ["$METRICS_TOKEN"],
          },
          "a reference to an environment variable",
        ).optional(),
        sign_in: signInSchema.optional(),
      },
      "Where `/metrics` for Prometheus and the live page for browsers are served.",
    ).optional(),
    otlp: otlpSchema.optional(),
    content: contentSchema.optional(),
    retention: retentionSchema.optional(),
    cost_header: flag({
      description:
        "Adds the header `x-gateway-cost` to complete responses: what the tokens cost, in US dollars. Streams have none.",
      default: false,
    }).optional(),
  },
  "Records what each request used, and serves metrics and a live page ([more](observability.md)). If not set, nothing is recorded.",
);

export const observability = section({
  key: "observability",
  schema,
  read({ reading, model }, written) {
    if (written === undefined) return {};
    const { sign_in: writtenSignIn, ...rest } = written.metrics ?? {};
    const signIn =
      writtenSignIn && readSignIn(reading, ["observability", "metrics", "sign_in"], writtenSignIn);
    const metrics = readMetrics(reading, rest, signIn);
    for (const listener of [model.ingress, model.egress]) {
      if (listener?.port !== metrics.port) continue;
      const message = `port ${metrics.port} is used by listeners.${listener.name} too`;
      reading.problem(["observability", "metrics", "port"], message, { hint: "use another port" });
    }
    const path = ["observability"];
    const { otlp: exported, content, cost_header: hasCostHeader, retention } = written;
    const otlp = exported && readOtlp(reading, [...path, "otlp"], exported);
    return {
      observability: {
        metrics,
        ...(otlp === undefined ? {} : { otlp }),
        ...(content === undefined
          ? {}
          : { content: readContent(reading, [...path, "content"], content) }),
        ...(retention === undefined
          ? {}
          : { retention: readRetention(reading, [...path, "retention"], retention) }),
        ...(hasCostHeader === true ? { costHeader: true as const } : {}),
      },
    };
  },
});

function readMetrics(
  reading: Reading,
  {
    address = ADDRESS,
    port = PORT,
    token,
  }: Draft<{ address: string; port: number; token: string }>,
  signIn: SignIn | undefined,
): Observability["metrics"] {
  const path = ["observability", "metrics"];
  if (isIP(address) === 0) {
    const at = [...path, "address"];
    reading.problem(at, `expected an IP address, not ${reading.show(at, address)}`, {
      hint: address === "localhost" ? "write 127.0.0.1" : undefined,
    });
  } else if (token === undefined && signIn === undefined && !isLoopback(address)) {
    const where = socketText(address, port);
    reading.problem(path, `token is missing; ${where} can be reached from other machines`, {
      hint: TOKEN_HINT,
    });
  }
  const tokenVariable =
    token === undefined
      ? undefined
      : readKeyReference(reading, [...path, "token"], token, TOKEN_HINT);
  const { length } = (tokenVariable && reading.environment[tokenVariable]) ?? "";
  if (length > 0 && length < MIN_TOKEN) {
    const message = `the value of ${tokenVariable} is short and can be guessed`;
    reading.problem([...path, "token"], message, {
      hint: "generate a longer one: openssl rand -hex 32",
    });
  }
  return {
    ...{ address, port },
    ...(tokenVariable === undefined ? {} : { tokenVariable }),
    ...(signIn === undefined ? {} : { signIn }),
  };
}
