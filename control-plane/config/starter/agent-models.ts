// The models that coding agents ask for if their users choose none. `npm run test:agents` runs them with these names.
import { vendorOf } from "../../providers/model-vendors.ts";

export interface AgentModels {
  agent: string;
  /** Bare names, the default first. */
  models: string[];
  /** How the names of all its releases begin, as an alias. */
  alias?: string;
  /** The provider whose models they are. */
  provider: string;
}

/** Of Claude Code 2.1.330 and Codex 0.169.0. */
export const AGENT_MODELS: readonly AgentModels[] = [
  {
    agent: "Claude Code",
    models: ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"],
    // Each release asks for newer ones.
    alias: "claude-*",
  },
  { agent: "Codex", models: ["gpt-6.1-sol"] },
].map((row) => ({ ...row, provider: vendorOf(row.models[0] ?? "") ?? "" }));
