// Shell completion: `gateway complete bash` prints the script, which then asks `gateway complete -- <words>`.
import { readdirSync } from "node:fs";
import tab from "@bomb.sh/tab/commander";
import type { Command } from "commander";
import { KINDS } from "../../import/kinds.ts";

/** Adds `complete <shell>` to a program whose commands are all there. */
export function addCompletion(program: Command): void {
  const completion = tab(program);
  program.commands
    .find((command) => command.name() === "complete")
    ?.description("print the completion script of a shell");
  for (const command of completion.commands.values()) {
    for (const name of ["config", "file"]) {
      const argument = command.arguments.get(name);
      if (argument === undefined) continue;
      argument.handler = (complete) => {
        for (const file of yamlFilesHere()) complete(file, "configuration file");
      };
    }
    const gateway = command.arguments.get("gateway");
    if (gateway === undefined) continue;
    gateway.handler = (complete) => {
      for (const kind of KINDS) complete(kind, "where the configuration is from");
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
