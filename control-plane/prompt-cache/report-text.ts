// The sentence about a turn of a session that people read. Pure.
import { NANO_PER_DOLLAR } from "../../model/budgets.ts";
import type { UsageRecord } from "../usage/usage-line.ts";
import type { BreakReason, TurnReport } from "./turn-report.ts";

export function reportText(report: TurnReport, record: UsageRecord): string {
  const { changed, break: lost } = report;
  switch (report.kind) {
    case "first":
      return record.subagent === undefined ? "first turn" : "first turn of a sub-agent";
    case "side":
      return "a side request with another prompt";
    case "parallel":
      return "sent before the response to the same prompt began";
    case "compacted":
      return "the messages were replaced by a summary";
    case "rewound":
      return changed === undefined ? "" : `the conversation was cut back to ${changed.path}`;
    case "failed":
      return "";
    case "unobserved":
      return "the prompt was not observed";
    case "next": {
      if (lost === undefined) return "";
      const price = lost.cost === undefined ? "" : ` (${dollarText(lost.cost)})`;
      return `${causeText(lost.reason, report, record)}: ${count(lost.lostTokens)} tokens were not read from the cache${price}`;
    }
  }
}

function causeText(
  reason: BreakReason,
  { changed }: TurnReport,
  { target, provider_key: key }: UsageRecord,
): string {
  switch (reason) {
    case "tools":
    case "system":
    case "settings":
    case "messages":
      return changed === undefined ? reason : `${changed.path} was ${changed.how}`;
    case "model":
      return `the client requested another model (${target ?? ""})`;
    case "fallback":
      return `a fallback moved it to ${target ?? "another target"}`;
    case "target":
      return `it went to another target (${target ?? ""})`;
    case "key":
      return `it used another key of the target (key ${String(key ?? 1)})`;
    case "expired":
      return "the cache had expired";
    case "blocks":
      return "more than 20 new blocks of content, which Anthropic's cache does not look back over";
    case "unknown":
      return "the prompt is as before, and the provider did not find it";
  }
}

const count = (tokens: number): string => tokens.toLocaleString("en-US");

function dollarText(cost: number): string {
  return `$${(cost / NANO_PER_DOLLAR).toFixed(4)}`;
}
