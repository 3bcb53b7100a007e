// Shell completion: `gateway complete bash` prints the script, which then asks `gateway complete -- <words>`.
import { readdirSync } from "node:fs";
import tab from "@bomb.sh/tab/commander";
import type { Command } from "commander";

/** Adds `complete <shell>` to a program whose commands are all there. */
export function addCompletion(program: Command): void {
  const completion = tab(program);
  program.commands
    .find((command) => command.name() === "complete")
    ?.description("print the completion script of a shell");
  for (const command of completion.commands.values()) {
    const config = command.arguments.get("config");
    if (config === undefined) continue;
    config.handler = (complete) => {
      for (const file of yamlFilesHere()) complete(file, "configuration file");
    };
  }
}

function yamlFilesHere(): string[] {
  try {
    return readdirSync(".").filter((name) => /\.ya?ml$/.test(name));
  } catch {
    return [];
  }
}
