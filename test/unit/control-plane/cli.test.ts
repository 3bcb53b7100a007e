// Every help text of the command line, as one page that can be read: help.txt beside this file.
import { expect, it, vi } from "vitest";
import type { Command } from "commander";
import { CALLED_AS } from "../../../control-plane/report/command-name.ts";
import { buildProgram } from "../../../control-plane/cli.ts";

function pages(command: Command, parents: string[] = []): string[] {
  const names = [...parents, command.name()];
  let own = "";
  command.configureOutput({ writeOut: (text) => (own += text) }).outputHelp();
  return [
    `# ${names.join(" ")}\n\n${own.trimEnd()}`,
    ...command
      .createHelp()
      .visibleCommands(command)
      .filter((one) => command.commands.includes(one))
      .flatMap((one) => pages(one, names)),
  ];
}

it("the command line matches the reference page", async () => {
  vi.stubEnv(CALLED_AS, "gateway");
  vi.stubEnv("COLUMNS", "80");
  const text = pages(buildProgram()).join("\n\n");
  // eslint-disable-next-line no-control-regex -- colours are control sequences
  const plain = text.replace(/\x1b\[[0-9;]*m/g, "");
  await expect(`${plain.replaceAll(/ +$/gm, "")}\n`).toMatchFileSnapshot("help.txt");
});

it.each([
  ["start", "Did you mean up?"],
  ["serve", "Did you mean up?"],
  ["stop", "Did you mean down?"],
  ["test", "validate checks the configuration"],
])("%s is no command, and the error names the one that is", async (word, hint) => {
  let error = "";
  const program = buildProgram();
  for (const command of [program, ...program.commands])
    command.configureOutput({ writeErr: (text) => (error += text) });
  await expect(program.parseAsync([word, "--detach", "a"], { from: "user" })).rejects.toThrow();
  expect(error).toContain(`error: unknown command '${word}'`);
  expect(error).toContain(hint);
});
