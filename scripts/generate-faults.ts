// docs/faults.md: what a client gets when a provider fails, from the table that the tests read.
import type { Outcome } from "./faults.ts";
import { faultTable, KINDS, outcomeIn, SIDES } from "./faults.ts";

const INTRODUCTION = `
<!-- Made from faults.yaml by scripts/generate.ts: change that, and run it. -->

# What a client gets when a provider fails

What a client of the gateway gets, fault by fault, as [a test](../test/envoy/faults.test.ts) sees it through a real Envoy: for
complete answers and for streams, where client and provider speak the same format and where the gateway translates.
All of it with the default settings; only the listener's \`timeout\` is shorter in the test. The client never waits longer than that.

- **answer**: the whole answer.
- **error**: an error in the client's format, with the status, a message and the request id. SDKs raise the exception of that status.
- **error event**: the stream has begun with 200; it ends with the error event of the client's format, which SDKs raise.
- **broken**: the connection breaks, because a part of the answer has already left. SDKs raise a connection error.
- **as it is**: the provider's bytes. In its own format an answer (200) is not read, so the client judges it.

The log is what \`access_llm.log\` has of the attempt: code (of the provider, 0 where it did not answer) and
[flags](https://www.envoyproxy.io/docs/envoy/v1.40.0/configuration/observability/access_log/usage#command-operators).
`;

const FALLBACK = `
The name stands for the failing provider and, behind it, a healthy one of the other format. Until the first token of an answer the
client sees nothing of the failure; what has left cannot be taken back. Compressed replies, which nobody asks a provider for, are
not looked at before they go on. A provider that is silent is given up after two thirds of the listener's \`timeout\`, for a stream after
half of it ([fallbacks.md](fallbacks.md#times)).
`;

const WORDS: Record<string, string> = {
  answer: "answer",
  error: "error",
  event: "error event",
  breaks: "broken",
  passes: "as it is",
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
  const titles = cases.map(({ side, kind }) => `${kind}, ${side} format`);
  const header = ["The provider …", ...titles, ...(hasFallback ? [] : ["log"])];
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
