// `mcp`: the prompt targets as tools of the Model Context Protocol.
import { flag, mapping } from "../schema-words.ts";
import { promptTargets } from "./prompt-targets.ts";
import { section } from "../section.ts";

const schema = mapping(
  {
    enabled: flag({
      description:
        "Whether the ingress listener serves `/mcp`, where each prompt target is a tool for MCP clients.",
      default: false,
    }).optional(),
  },
  "Prompt targets as tools for agents, by the Model Context Protocol: see docs/mcp.md.",
);

export const mcp = section({
  key: "mcp",
  schema,
  read({ reading, part }, value) {
    if (value?.enabled !== true) return {};
    if ((part(promptTargets) ?? []).length > 0) return { prompt: { mcp: true } };
    reading.problem(["mcp", "enabled"], "there are no prompt_targets, so /mcp would have no tool", {
      hint: "configure prompt_targets (docs/prompt-targets.md), or remove mcp",
    });
    return {};
  },
});
