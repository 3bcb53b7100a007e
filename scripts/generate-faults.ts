// docs/faults.md: what a client gets when a provider fails, from the table that the tests read.
import type { FaultRow, Kind, Side } from "./faults.ts";
import { faultTable, KINDS, outcomeIn, SIDES } from "./faults.ts";

const INTRODUCTION = `
<!-- Made from faults.yaml by scripts/generate.ts: change that, and run it. -->

# When a provider fails

What a client of the gateway gets, fault by fault, as [a test](../test/envoy/faults.test.ts) sees it through a real Envoy: for
complete answers and for streams, where client and provider speak the same format and where the gateway translates.
The client never waits longer than the listener's \`timeout\`.

- **answer**: the whole answer.
- **error**: an error in the client's format, with the status, a message and the request id. SDKs raise the exception of that status.
- **error event**: the stream has begun with 200; it ends with the error event of the client's format, which SDKs raise.
- **broken**: the connection breaks, because a part of the answer has already left. SDKs raise a connection error.
- **as it is**: the provider's bytes. In its own format a reply is not read, so the client judges it.

The log is what \`access_llm.log\` has of the attempt: code (of the provider, 0 where it did not answer) and
[flags](https://www.envoyproxy.io/docs/envoy/v1.40.0/configuration/observability/access_log/usage#command-operators).
`;

const WORDS: Record<string, string> = {
  answer: "answer",
  error: "error",
  event: "error event",
  breaks: "broken",
  passes: "as it is",
};

export function faultsPage(): string {
  const cases = SIDES.flatMap((side) => KINDS.map((kind) => ({ side, kind })));
  const titles = cases.map(({ side, kind }) => `${kind}, ${side} format`);
  const header = ["The provider …", ...titles, "log"];
  const rows = faultTable().map((row) => [
    row.provider.replace(/\.$/, ""),
    ...cases.map(({ side, kind }) => cell(row, kind, side)),
    row.log ?? "no attempt",
  ]);
  const lines = [header, header.map(() => "---"), ...rows].map(
    (cells) => `| ${cells.join(" | ")} |`,
  );
  return `${INTRODUCTION.trim()}\n\n${lines.join("\n")}\n`;
}

function cell(row: FaultRow, kind: Kind, side: Side): string {
  const { how, status } = outcomeIn(row, kind, side);
  return status === 200 ? (WORDS[how] ?? how) : `${WORDS[how] ?? how} ${String(status)}`;
}
