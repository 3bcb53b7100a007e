// The coding agents: 770 MB of programs that this ring alone needs, and Claude Code is not open source.
import { join } from "node:path";
import { type Installed, installPackages } from "../packages/npm.ts";

/** They find the program of the machine, in a package that npm leaves out without an error where there is none. */
export const SCRIPTS = {
  claudeCode: "node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs",
  codex: "node_modules/@openai/codex/bin/codex.js",
};

export function installAgents(progress: (line: string) => void): Promise<Installed> {
  return installPackages({
    packages: join(import.meta.dirname, "packages"),
    name: "agents",
    scripts: Object.values(SCRIPTS),
    onFetch: () => {
      progress("Fetching Codex and Claude Code (770 MB, once)");
    },
  });
}
