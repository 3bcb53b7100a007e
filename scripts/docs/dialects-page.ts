// docs/dialects.md: what each member of a request becomes in another dialect, from the tables that the filter uses.
import { ANTHROPIC_MESSAGES } from "../../contract/dialects.ts";
import { betaAliases, ENVELOPES, needlessBetas } from "../../contract/envelopes.ts";
import type { EnvelopeRow } from "../../contract/envelopes.ts";
import {
  type DialectTables,
  type Feature,
  type Member,
  readDialectTables,
  readFeatures,
  type Table,
} from "./dialect-tables.ts";
import { table } from "./markdown.ts";

/** Returns the page. */
export function dialectsPage(): string {
  const dialects = readDialectTables();
  return [
    HEAD,
    ...dialects
      .filter(({ hasClients }) => hasClients)
      .map((from) =>
        clientSection(
          from,
          dialects.filter((to) => to !== from),
        ),
      ),
    providersSection(dialects),
    envelopesSection(dialects),
    featuresSection(readFeatures(), dialects),
  ].join("\n\n");
}

const HEAD = `<!-- Generated from filter/dialects/*/*/members.ts, scripts/docs/dialects/, filter/hub/request/features.ts and contract/envelopes.ts by \`node scripts/generate.ts\`. Do not edit. -->

# Translation of requests

Clients can call every configured model through every endpoint. If the provider of the model has another dialect, the
gateway translates the request. The tables have a row for each member of a client's request and a column for each dialect of
providers; members that no provider gets are in a line below. A cell has

- the provider's **member**, by the end of its path: it gets the value. Texts are copied with their escapes, numbers with the
  client's digits. [What providers get](#what-providers-get) has the whole path, and what is changed;
- **the same**: the provider has the member too;
- **by its value**: it has no member of its own there. Its value decides what others get; what none can express is dropped, and
  listed;
- **rejected**: the response would be wrong without it. The gateway returns 400 in the client's dialect, and the message
  names the member and what to do instead, as [Features](#features) lists it;
- **dropped**: the response is correct without it. The response header \`x-gateway-dropped\` lists it. With
  \`overrides.strict_translation: true\` the request is rejected instead;
- **ignored**: it has no meaning there.

"\`n\`, not \`1\`" means that the value \`1\` asks for nothing and is accepted. Members that are not in these tables are dropped. Null is
the same as missing. "Listed" means: in \`x-gateway-dropped\`. What a model does not support (its \`limits\`) is dropped and listed
too. If client and provider have the same dialect, nothing is translated: the body passes byte for byte, except for what the model
does not support.`;

function clientSection(from: DialectTables, providers: DialectTables[]): string {
  return [
    `## Requests of ${from.title}`,
    ...from.tables.map((one) => tableSection(one, providers)),
  ].join("\n\n");
}

/** A row for each member, a column for each provider's dialect; below it what is the same for all, and the notes. */
function tableSection({ title, link, prefix, members }: Table, providers: DialectTables[]): string {
  const meant = members.filter(({ feature, slot }) => feature !== undefined || slot !== undefined);
  const all = meant.map((member) => ({
    name: memberCell(prefix, member),
    fates: providers.map((to) => fateOf(member, prefix, to)),
  }));
  const inAll = (fate: string): string[] =>
    all.filter(({ fates }) => fates.every((one) => one === fate)).map(({ name }) => name);
  const rows = all.filter(
    ({ fates }) => !LISTED.some((fate) => fates.every((one) => one === fate)),
  );
  const ignored = members
    .filter((member) => !meant.includes(member))
    .map((member) => nameOf(prefix, member) + (member.reads === "" ? "" : ` (${member.reads})`));
  const notes = [
    ...LISTED.map((fate) => listLine(`${fate} for every provider`, inAll(fate))),
    listLine("ignored", ignored),
    ...meant.map(({ reads, ...member }) =>
      reads === "" ? "" : `- ${nameOf(prefix, member)}: ${reads}`,
    ),
  ].filter((line) => line !== "");
  return [
    `### ${link === "" ? title : `${title} ([documentation](${link}))`}`,
    ...(rows.length > 0
      ? [
          table(
            ["Member", ...providers.map((to) => to.title)],
            rows.map(({ name, fates }) => [name, ...fates]),
          ),
        ]
      : []),
    ...(notes.length > 0 ? [notes.join("\n")] : []),
  ].join("\n\n");
}

/** Fates that are a line below the table if all providers share them. */
const LISTED = ["**rejected**", "**dropped**"];

function listLine(fate: string, names: readonly string[]): string {
  return names.length === 0 ? "" : `- ${fate}: ${names.join("; ")}`;
}

function nameOf(prefix: string, { name }: Pick<Member, "name">): string {
  return prefix.endsWith("=") ? `\`type: ${name}\`` : `\`${name}\``;
}

function memberCell(prefix: string, member: Member): string {
  const { neutral } = member;
  const passes = neutral === "" ? "" : `, not \`${NEUTRAL[neutral] ?? neutral}\``;
  return nameOf(prefix, member) + passes;
}

const NEUTRAL: Record<string, string> = { empty: "[]" };

/** Slots that only a member with the same meaning can hold. */
const NEEDS_MEMBER = new Set(["stop", "stop_sequences", "top_k"]);

/** Members that other dialects do not have and do not need. */
const LABELS = new Set(["response_format.json_schema.name", "text.format.name"]);

/** Features that each API asks for by a value of its own. */
const BY_VALUE = new Set(["speed"]);

function sameOf({ name }: Member): string {
  return BY_VALUE.has(name) ? "by its value" : "the same";
}

function fateOf(member: Member, prefix: string, to: DialectTables): string {
  const { feature, slot = 0 } = member;
  if (feature !== undefined)
    return to.supported.includes(feature) ? sameOf(member) : `**${feature.fate}**`;
  const fate = to.notWritten.get(slot);
  if (fate !== undefined) return firstClause(fate);
  const all = membersOf(to, slot, prefix).map(({ path }) => path);
  const kinds = all.filter((path) => isKind(path) === isKind(prefix));
  const paths = (kinds.length > 0 ? kinds : all).map((path) => `\`${endOf(path)}\``);
  if (paths.length > 0) return [...new Set(paths)].join(", ");
  if (LABELS.has(prefix + member.name)) return "ignored";
  return NEEDS_MEMBER.has(member.name) ? "**dropped**" : "by its value";
}

/** Returns what happens to a slot without the reason, which is in the provider's section. */
function firstClause(fate: string): string {
  return (fate.split(": ")[0] ?? fate).replace(", and listed", "").replace("→ ", "");
}

/** Returns whether a path is that of a block's `type`. */
function isKind(path: string): boolean {
  return path.includes("type=");
}

/** Returns a path from its last list on: `content[].text`. */
function endOf(path: string): string {
  return /[^.]+\[\]\.[^[]*$/.exec(path)?.[0] ?? path;
}

interface Place {
  path: string;
  member: Member;
}

/** Returns the members that a dialect's writer uses for a slot: those nearest to the client's object, with notes on writing first. */
function membersOf(dialect: DialectTables, slot: number, from: string): Place[] {
  const all = dialect.tables.flatMap(({ prefix, members }) =>
    members
      .filter((member) => member.slot === slot)
      .map((member) => ({ path: `${prefix}${member.name}`, prefix, member })),
  );
  const written = all.filter(({ member }) => member.writes !== "");
  const plain = all.filter(({ member }) => member.reads === "");
  const found = written.length > 0 ? written : plain.length > 0 ? plain : all;
  const nearest = Math.max(...found.map(({ prefix }) => commonLength(prefix, from)));
  return found.filter(({ prefix }) => commonLength(prefix, from) === nearest);
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** What the writer of each dialect does, for the requests of all clients. */
function providersSection(dialects: DialectTables[]): string {
  return [
    "## What providers get",
    "The members that the columns above name, by their whole paths, if there is more to know than the value is copied.",
    ...dialects.map((dialect) => providerSection(dialect, dialects)),
  ].join("\n\n");
}

function providerSection(to: DialectTables, dialects: DialectTables[]): string {
  const written = to.tables.flatMap(({ prefix, members }) =>
    members
      .filter(({ writes }) => writes !== "")
      .map(({ name, writes }) => `- ${pathOf(prefix, name)}: ${writes}`),
  );
  const missing = [...to.notWritten]
    .filter(([, fate]) => fate.includes(": "))
    .map(([slot, fate]) => `- ${namesOf(slot, dialects)}: ${fate}`);
  const [link = ""] = to.tables.map((one) => one.link);
  const heading = link === "" ? to.title : `${to.title} ([documentation](${link}))`;
  return [`### To ${heading}`, [...new Set([...written, ...missing])].join("\n")].join("\n\n");
}

function pathOf(prefix: string, name: string): string {
  return `\`${prefix}${name}\``;
}

/** Returns how clients name a slot. */
function namesOf(slot: number, dialects: DialectTables[]): string {
  const paths = dialects.flatMap(({ hasClients, tables }) =>
    tables.flatMap(({ prefix, members }) =>
      members
        .filter((member) => hasClients && member.slot === slot)
        .map(({ name }) => `\`${endOf(`${prefix}${name}`)}\``),
    ),
  );
  return [...new Set(paths)].join(", ");
}

/** Features in these tables are dropped or rejected unless the envelope lists the member. */
const ENVELOPED_TABLES = new Set(["", "messages[].", "tools[]."]);

function envelopesSection(dialects: DialectTables[]): string {
  const messages = dialects.find(({ title }) => title === ANTHROPIC_MESSAGES.title);
  const tables = (messages?.tables ?? []).filter(({ prefix }) => ENVELOPED_TABLES.has(prefix));
  return [
    "## Claude on Vertex AI and Amazon Bedrock",
    "The clouds accept Anthropic Messages with the model in the path and the version in the body. A messages client's body is not translated: the members below are edited, every other byte passes. The clouds reject what they do not know, so the gateway drops betas and members that are not in these lists, and lists them as `anthropic-beta=<name>` and by their paths. Images and documents by URL, and files by id, are rejected on both: send base64.",
    ...ENVELOPES.map((row) => envelopeSection(row(), tables)),
    `Betas that ask for nothing the clouds lack are removed and not listed: ${codes(needlessBetas())}. ${betaAliases()
      .map(({ name, meaning }) => `\`${name}\` is sent as \`${meaning}\``)
      .join("; ")}.`,
    "`tools[].strict` is dropped if the model does not support structured output there (`limits.output_schema`), `cache_control.scope` always. `output_format` becomes `output_config.format`. Members that Anthropic does not have are dropped.",
  ].join("\n\n");
}

function envelopeSection(row: EnvelopeRow, tables: Table[]): string {
  const fates = tables.flatMap(({ prefix, members }) =>
    members.flatMap(({ name, feature }) => {
      const path = `${prefix}${name}`;
      return feature === undefined || row.members.includes(path)
        ? []
        : [{ path, fate: feature.fate }];
    }),
  );
  const of = (fate: string): string =>
    codes(fates.filter((one) => one.fate === fate).map(({ path }) => path));
  const count = row.countModel === "" ? "{model}" : row.countModel;
  return [
    `### ${row.title}`,
    [
      `- Path: \`…${row.path}{model}${row.method}\`, for a stream \`${row.streamMethod}\`, to count tokens \`${count}${row.countMethod}\``,
      `- \`anthropic_version\`: \`${row.version}\`; \`model\`${row.hasStream ? " is" : " and `stream` are"} removed`,
      `- Betas, in ${row.hasBetaMember ? "the member `anthropic_beta`" : "the header `anthropic-beta`"}: ${codes(row.betas)}`,
      `- **dropped**: ${of("dropped")}${row.eagerToolBeta === "" ? "" : `; \`tools[].eager_input_streaming: true\` becomes the beta \`${row.eagerToolBeta}\``}`,
      `- **rejected**: ${of("rejected")}`,
    ].join("\n"),
  ].join("\n\n");
}

function codes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

function featuresSection(features: Feature[], dialects: DialectTables[]): string {
  const lines = features.map((feature) => {
    const { title, link, fate, advice } = feature;
    const supporters = dialects.filter((one) => asks(one, feature)).map((one) => one.title);
    const asking = [...new Set(dialects.flatMap((one) => membersAsking(one, feature)))].join(", ");
    const heading = link === "" ? title : `[${title}](${link})`;
    const native = supporters.length === 0 ? "" : ` Native to ${supporters.join(", ")}.`;
    return `- ${heading}${asking === "" ? "" : ` (${asking})`}: ${fate}.${advice === "" ? "" : ` ${advice}`}${native}`;
  });
  return [
    "## Features",
    "What a request can ask for that only some dialects support, and what happens if the provider's does not.",
    lines.join("\n"),
  ].join("\n\n");
}

/** Returns how clients of a dialect ask for a feature. */
function membersAsking({ tables }: DialectTables, { id }: Feature): string[] {
  return tables.flatMap(({ prefix, members }) =>
    members
      .filter(({ feature }) => feature?.id === id)
      .map(({ name }) => `\`${endOf(`${prefix}${name}`)}\``),
  );
}

/** Returns whether a dialect has a member for a feature. */
function asks({ tables, hasClients, supported }: DialectTables, feature: Feature): boolean {
  if (!hasClients) return supported.includes(feature);
  return tables.some(({ members }) => members.some((one) => one.feature?.id === feature.id));
}
