// `gateway keys` and `gateway groups` of the command line.
import { type Command, Option } from "commander";
import { STATUSES } from "../keys/key-status.ts";
import { addAllowanceOptions } from "./allowance-options.ts";
import type { GroupOptions } from "./commands/groups.ts";
import type {
  KeyImportOptions,
  KeyListOptions,
  KeyOptions,
  KeyUpdateOptions,
} from "./commands/keys.ts";

interface Common {
  config?: string;
  json?: boolean;
}

const WHICH = "configuration file of the gateway, if several are running";
const A_KEY = "name or id of the key";
const A_GROUP = "name of the group";

/** Adds both. */
export function addKeyCommands(program: Command): void {
  addKeys(program);
  addSubjects(program, GROUPS);
  addSubjects(program, USERS);
}

function addKeys(program: Command): void {
  const keys = program
    .command("keys")
    .helpCommand(false)
    .description("create, change and revoke keys of clients while the gateway runs");
  const load = () => import("./commands/keys.ts");
  common(
    ofKey(
      addAllowanceOptions(
        keys
          .command("create")
          .description("create a key, and print it once")
          .argument("<name>", "name of the key"),
      ),
    ),
  ).action(async (name: string, options: KeyOptions) => {
    await (await load()).createKey(name, options);
  });
  common(
    keys
      .command("list")
      .description("list the keys that are not revoked")
      .option("--search <text>", "part of a name or an owner")
      .option("--group <name>", "keys of one group")
      .option("--owner <name>", "keys of one owner")
      .addOption(new Option("--status <status>", "keys of one status").choices(STATUSES)),
  ).action(async (options: KeyListOptions) => {
    await (await load()).listKeys(options);
  });
  common(
    keys.command("show").description("show a key, without the key itself").argument("<key>", A_KEY),
  ).action(async (name: string, options: Common) => {
    await (await load()).showKey(name, options);
  });
  common(
    ofKey(
      addAllowanceOptions(
        keys
          .command("update")
          .description("change what a key may use, disable or enable it")
          .argument("<key>", A_KEY),
      ),
    )
      .addOption(new Option("--disable", "reject the key until it is enabled").conflicts("enable"))
      .option("--enable", "accept the key again"),
  ).action(async (name: string, options: KeyUpdateOptions) => {
    await (await load()).updateKey(name, options);
  });
  common(
    keys
      .command("rotate")
      .description("replace a key, and print the new one once")
      .argument("<key>", A_KEY)
      .option("--grace <time>", "how long the old key stays valid: 24h (default: not at all)"),
  ).action(async (name: string, options: Common & { grace?: string }) => {
    await (await load()).rotateKey(name, options);
  });
  common(
    keys
      .command("revoke")
      .description("reject a key from now on, for good")
      .argument("<key>", A_KEY),
  ).action(async (name: string, options: Common) => {
    await (await load()).revokeKey(name, options);
  });
  common(
    keys
      .command("import")
      .description("import keys from another gateway's database; users keep their keys")
      .argument("<file...>", "exported tables: CSV, JSON or JSON lines")
      .addOption(
        new Option("--from <gateway>", "where the files are from")
          .choices(["litellm"])
          .default("litellm"),
      )
      .option("--dry-run", "list what would be imported and what has no counterpart"),
  ).action(async (files: string[], options: KeyImportOptions) => {
    await (await load()).importKeys(files, options);
  });
}

interface SubjectWords {
  kind: "group" | "user";
  description: string;
  name: string;
  create: string;
  delete: string;
}

const GROUPS: SubjectWords = {
  kind: "group",
  description: "create and change groups of keys while the gateway runs",
  name: A_GROUP,
  create: "create a group",
  delete: "delete a group that has no keys",
};
const USERS: SubjectWords = {
  kind: "user",
  description: "set limits and budgets of users while the gateway runs",
  name: "user: the owner of keys, or the claim of tokens, such as an e-mail address",
  create: "set what a user may use",
  delete: "remove what is set for a user, whose keys stay valid",
};

function addSubjects(program: Command, words: SubjectWords): void {
  const { kind } = words;
  const subjects = program.command(`${kind}s`).helpCommand(false).description(words.description);
  const load = () => import("./commands/groups.ts");
  common(
    addAllowanceOptions(
      subjects.command("create").description(words.create).argument("<name>", words.name),
    ),
  ).action(async (name: string, options: GroupOptions) => {
    await (await load()).createSubject(kind, name, options);
  });
  common(
    subjects.command("list").description(`list all ${kind}s, those of the configuration too`),
  ).action(async (options: Common) => {
    await (await load()).listSubjects(kind, options);
  });
  common(
    subjects.command("show").description(`show a ${kind}`).argument("<name>", words.name),
  ).action(async (name: string, options: Common) => {
    await (await load()).showSubject(kind, name, options);
  });
  common(
    addAllowanceOptions(
      subjects
        .command("update")
        .description(`change what a ${kind} may use`)
        .argument("<name>", words.name),
    ),
  ).action(async (name: string, options: GroupOptions) => {
    await (await load()).updateSubject(kind, name, options);
  });
  common(
    subjects.command("delete").description(words.delete).argument("<name>", words.name),
  ).action(async (name: string, options: Common) => {
    await (await load()).deleteSubject(kind, name, options);
  });
}

function ofKey(command: Command): Command {
  return command
    .option("--owner <name>", "user whom the key belongs to, such as an e-mail address")
    .option("--group <name...>", "groups of the key")
    .option("--expires <time>", "90d, 12h, 2027-01-31, or never");
}

function common(command: Command): Command {
  return command.option("-c, --config <file>", WHICH).option("--json", "print JSON");
}
