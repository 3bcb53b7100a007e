// `gateway keys`: keys that are created, changed and revoked while the gateway runs.
import { readFileSync } from "node:fs";
import type { z } from "zod";
import type { KeyView } from "../../keys/api/view.ts";
import { type importedSchema, MAX_IMPORT } from "../../keys/api/schemas.ts";
import { convert } from "../../keys/litellm/convert-keys.ts";
import { readTables } from "../../keys/litellm/read-tables.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import { colorsFor, count, printable, table } from "../../report/terminal.ts";
import { callApi } from "../admin-api.ts";
import { type AllowanceOptions, allowanceBody } from "../allowance-options.ts";

interface Common {
  config?: string;
  json?: boolean;
}

export interface KeyOptions extends Common, AllowanceOptions {
  owner?: string;
  group?: string[];
  expires?: string;
}

export interface KeyUpdateOptions extends KeyOptions {
  enable?: boolean;
  disable?: boolean;
}

export interface KeyListOptions extends Common {
  search?: string;
  group?: string;
  owner?: string;
  status?: string;
}

export interface KeyImportOptions extends Common {
  from: string;
  dryRun?: boolean;
}

type Imported = z.output<typeof importedSchema>;
type Created = KeyView & { key: string };
/** Of a page. */
const LIMIT = 500;
const NEVER = "never";
const NOBODY = "none";

export async function createKey(name: string, options: KeyOptions): Promise<void> {
  const created = await callApi<Created>(options.config, "POST", "/keys", {
    name,
    ...bodyOf(options),
  });
  print(options, created, () => keyLines(created));
}

export async function listKeys(options: KeyListOptions): Promise<void> {
  const { search, group, owner, status } = options;
  const query = new URLSearchParams({ limit: String(LIMIT) });
  for (const [name, value] of Object.entries({ search, group, owner, status }))
    if (value !== undefined) query.set(name, value);
  const all: KeyView[] = [];
  for (;;) {
    const page = await callApi<{ data: KeyView[]; next?: string }>(
      options.config,
      "GET",
      `/keys?${query.toString()}`,
    );
    all.push(...page.data);
    if (page.next === undefined) break;
    query.set("after", page.next);
  }
  print(options, all, () => {
    if (all.length === 0) return ["No keys. Create one: gateway keys create <name>"];
    const { bold } = colorsFor(process.stdout);
    const head = ["NAME", "KEY", "STATUS", "OWNER", "GROUPS", "BUDGET", "EXPIRES"].map((one) =>
      bold(one),
    );
    return table([head, ...all.map(rowOf)]);
  });
}

export async function showKey(name: string, options: Common): Promise<void> {
  const key = await callApi<KeyView>(options.config, "GET", pathOf(name));
  print(options, key, () => detailsOf(key));
}

export async function updateKey(name: string, options: KeyUpdateOptions): Promise<void> {
  const { enable, disable } = options;
  const body = {
    ...bodyOf(options),
    ...(disable === true ? { disabled: true } : enable === true ? { disabled: false } : {}),
  };
  if (Object.keys(body).length === 0)
    throw new GatewayError("Nothing to change.", {
      hint: "gateway keys update --help lists the options.",
    });
  const key = await callApi<KeyView>(options.config, "PATCH", pathOf(name), body);
  print(options, key, () => detailsOf(key));
}

export async function rotateKey(name: string, options: Common & { grace?: string }): Promise<void> {
  const { grace } = options;
  const body = grace === undefined ? {} : { grace };
  const rotated = await callApi<Created>(options.config, "POST", `${pathOf(name)}/rotate`, body);
  print(options, rotated, () => [
    ...keyLines(rotated),
    rotated.old_key_valid_until === undefined
      ? "The old key is rejected from now on."
      : `The old key is valid until ${rotated.old_key_valid_until}.`,
  ]);
}

export async function revokeKey(name: string, options: Common): Promise<void> {
  const key = await callApi<KeyView>(options.config, "DELETE", pathOf(name));
  print(options, key, () => [`${key.name} (${key.hint}) is revoked.`]);
}

/** Creates the keys and groups of another gateway's database, and lists what has no counterpart. */
export async function importKeys(
  files: readonly string[],
  options: KeyImportOptions,
): Promise<void> {
  const { keys, groups, spent, notes } = convertFiles(files);
  for (const note of notes) console.error(printable(note));
  const done: Imported = { keys: keys.length, groups: groups.length, unchanged: 0 };
  if (options.dryRun !== true) {
    Object.assign(done, { keys: 0, groups: 0 });
    // Groups first: a key names groups that exist.
    for (const part of parts(groups)) await importPart(options, done, { groups: part });
    for (const part of parts(keys)) {
      const names = new Set(part.map(({ name }) => name));
      const ofPart = spent.filter(({ key }) => names.has(key));
      await importPart(options, done, { keys: part, spent: ofPart });
    }
  }
  const { unchanged } = done;
  print(options, { keys, groups, spent, notes, unchanged }, () => [
    `${options.dryRun === true ? "Would import" : "Imported"} ${count(done.keys, "key")} and ${count(done.groups, "group")}.` +
      (unchanged === 0 ? "" : ` There already: ${String(unchanged)}.`),
  ]);
}

/** Imports a part, and adds to `done` what was created. */
async function importPart(options: Common, done: Imported, body: object): Promise<void> {
  const part = await callApi<Imported>(options.config, "POST", "/keys/import", body);
  done.keys += part.keys;
  done.groups += part.groups;
  done.unchanged += part.unchanged;
}

function convertFiles(files: readonly string[]) {
  try {
    return convert(
      readTables(files.map((name) => ({ name, text: readFileSync(name, "utf8") }))),
      Date.now(),
    );
  } catch (error) {
    throw new GatewayError(`${(error as Error).message}.`, {
      hint: String.raw`Export the tables: psql -c '\copy "LiteLLM_VerificationToken" TO keys.csv CSV HEADER', and the same of "LiteLLM_TeamTable", "LiteLLM_BudgetTable" and "LiteLLM_UserTable"`,
    });
  }
}

function parts<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / MAX_IMPORT) }, (_, at) =>
    items.slice(at * MAX_IMPORT, (at + 1) * MAX_IMPORT),
  );
}

function bodyOf(options: KeyOptions) {
  const { owner, group, expires } = options;
  return {
    ...allowanceBody(options),
    ...(owner === undefined ? {} : { owner: owner === NOBODY ? null : owner }),
    ...(group === undefined ? {} : { groups: group.filter((name) => name !== NOBODY) }),
    ...(expires === undefined ? {} : { expires: expires === NEVER ? null : expires }),
  };
}

function pathOf(name: string): string {
  return `/keys/${encodeURIComponent(name)}`;
}

/** Prints the value as JSON, or lines for people. */
export function print({ json }: Common, value: unknown, lines: () => string[]): void {
  if (json === true) console.log(JSON.stringify(value, null, 2));
  else for (const line of lines()) console.log(line);
}

function keyLines({ key, name, expires }: Created): string[] {
  const { bold } = colorsFor(process.stdout);
  const until = expires === undefined ? "" : ` It is valid until ${expires}.`;
  return [bold(key), `This is the key ${name}. It is shown this once: copy it now.${until}`];
}

function rowOf(key: KeyView): string[] {
  return [
    key.name,
    key.hint,
    key.status,
    printable(key.owner ?? ""),
    key.groups.join(", "),
    budgetText(key),
    key.expires?.slice(0, 10) ?? NEVER,
  ];
}

function detailsOf(key: KeyView): string[] {
  const rows: [string, string | undefined][] = [
    ["Name", key.name],
    ["Id", key.id],
    ["Key", key.hint],
    ["Status", key.status],
    ["Owner", key.owner && printable(key.owner)],
    ["Groups", key.groups.join(", ")],
    ...allowanceRows(key),
    ["Expires", key.expires ?? NEVER],
    ["Old key valid until", key.old_key_valid_until],
    ["Created", `${key.created} by ${printable(key.created_by)}`],
    ["Version", String(key.version)],
  ];
  return detailLines(rows);
}

/** Returns rows of what a key or group may use. */
export function allowanceRows(
  one: Pick<KeyView, "models" | "ratelimits" | "budget" | "metadata">,
): [string, string | undefined][] {
  const limits = (one.ratelimits ?? []).map(
    ({ tokens, requests, unit }) =>
      [
        tokens === undefined ? "" : `${String(tokens)} tokens`,
        requests === undefined ? "" : `${String(requests)} requests`,
      ]
        .filter(Boolean)
        .join(", ") + ` a ${unit}`,
  );
  const metadata = Object.entries(one.metadata ?? {}).map(([name, value]) =>
    printable(`${name}=${value}`),
  );
  return [
    ["Models", one.models?.join(", ")],
    ["Rate limits", limits.join("; ")],
    ["Budget", budgetText(one)],
    ["Metadata", metadata.join(", ")],
  ];
}

export function detailLines(rows: readonly [string, string | undefined][]): string[] {
  const { bold } = colorsFor(process.stdout);
  return table(
    rows.flatMap(([name, value]) =>
      value === undefined || value === "" ? [] : [[bold(name), value]],
    ),
  );
}

export function budgetText({ budget = [] }: Pick<KeyView, "budget">): string {
  return budget
    .map(({ amount, per }) => `${amount} ${per === "total" ? "in total" : `a ${per}`}`)
    .join(", ");
}
