// Generates docs/faults.md (what a client gets when a provider fails) from the table that the tests read.
import type { Outcome } from "../faults.ts";
import { faultTable, KINDS, outcomeIn, SIDES } from "../faults.ts";

const INTRODUCTION = `
<!-- Generated from faults.yaml by scripts/generate.ts: change that file, and run it. -->

# When a provider fails

What a client gets for each fault of a provider. [A test](../test/envoy/provider-faults/every-fault.test.ts) produces every fault through a
real Envoy, for complete responses and streams, with and without translation. It uses the default settings, apart from a
shorter listener \`timeout\`; the client never waits longer than that.

- **response**: the whole response.
- **error**: an error in the client's format with this status, a message and the request id. SDKs raise the exception of
  that status.
- **error event**: the stream has started with 200 and ends with the error event of the client's format. SDKs raise it.
- **broken**: the connection breaks, because part of the response has already been sent. SDKs raise a connection error.
- **unchanged**: the provider's bytes. In the same format the gateway does not read a response with status 200, so the
  client has to check it.

(T): the provider has the other format, and the gateway translates. The Log column has the status (the provider's; 0 if
it did not respond) and the
[flags](https://www.envoyproxy.io/docs/envoy/v1.40.0/configuration/observability/access_log/usage#command-operators) in
\`access_llm.log\`.

(1): with [\`decompress_responses\`](configuration.md#llm_providersdecompress_responses).
`;

const FALLBACK = `
The model's first provider has the fault; its fallback, in the other format, is healthy. Until the first token the
client notices nothing of the failure; what has been sent cannot be undone. Responses that are decompressed
(\`decompress_responses\`) are not checked before they are sent on. A silent provider is abandoned after two thirds of the listener's
\`timeout\`, for a stream after half of it ([timeouts](fallbacks.md#timeouts)).
`;

/** The columns; (T) is explained in the introduction. */
const TITLES: Record<string, string> = {
  "same complete": "Complete",
  "same stream": "Stream",
  "other complete": "Complete (T)",
  "other stream": "Stream (T)",
};

/** The kinds of outcome in faults.yaml, as the page names them. */
const WORDS: Record<string, string> = {
  answer: "response",
  error: "error",
  event: "error event",
  breaks: "broken",
  passes: "unchanged",
};

export function faultsPage(): string {
  return [
    INTRODUCTION.trim(),
    "## With one provider",
    table(false),
    "## With a fallback",
    FALLBACK.trim(),
    table(true),
  ].join("\n\n");
}

function table(hasFallback: boolean): string {
  const cases = SIDES.flatMap((side) => KINDS.map((kind) => ({ side, kind })));
  const titles = cases.map(({ side, kind }) => TITLES[`${side} ${kind}`]);
  const header = ["The provider …", ...titles, ...(hasFallback ? [] : ["Log"])];
  const rows = faultTable().map((row) => [
    row.provider.replace(/\.$/, ""),
    ...cases.map(({ side, kind }) => cell(outcomeIn(row, kind, side, hasFallback))),
    ...(hasFallback ? [] : [row.log ?? "no attempt"]),
  ]);
  const lines = [header, header.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function cell({ how, status }: Outcome): string {
  return status === 200 ? (WORDS[how] ?? how) : `${WORDS[how] ?? how} ${String(status)}`;
}
