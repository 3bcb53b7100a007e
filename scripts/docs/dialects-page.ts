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

/** Returns the page. */
export function dialectsPage(): string {
  const dialects = readDialectTables();
  const pairs = dialects
    .filter(({ hasClients }) => hasClients)
    .flatMap((from) => dialects.filter((to) => to !== from).map((to) => pairSection(from, to)));
  const features = readFeatures();
  return [HEAD, ...pairs, envelopesSection(dialects), featuresSection(features, dialects)].join(
    "\n\n",
  );
}

const HEAD = `<!-- Generated from filter/dialects/*/*/members.ts, filter/hub/request/features.ts and contract/envelopes.ts by \`node scripts/generate.ts\`. Do not edit. -->

# Translation of requests

Clients can call every configured model through every endpoint. If the provider of the model has another dialect, the
gateway translates the request. Each member of a request is

- translated (**→**): the provider's dialect has a member for it. Texts are copied with their escapes, numbers with the
  client's digits;
- **rejected**, if the response would be wrong without it: the gateway returns 400 in the client's dialect, and the message
  names the member and what to do instead;
- **dropped**, if the response is correct without it: the response header \`x-gateway-dropped\` lists it. With
  \`overrides.strict_translation: true\` the request is rejected instead;
- **ignored**, if it has no meaning in a request.

Members that are not in these lists are dropped. Null is the same as missing. "Listed" means: in \`x-gateway-dropped\`. What a
model does not support (its \`limits\`) is dropped and listed too. If client and provider have the same dialect, nothing
is translated: the body passes byte for byte, except for what the model does not support.`;

function pairSection(from: DialectTables, to: DialectTables): string {
  return [
    `## ${from.title} → ${to.title}`,
    ...from.tables.map((table) => tableSection(table, to)),
  ].join("\n\n");
}

function tableSection({ title, link, prefix, members }: Table, to: DialectTables): string {
  const heading = `### ${title}`;
  const see = link === "" ? [] : [`[Provider documentation](${link})`];
  const lines = members.map(
    (member) => `- ${nameOf(prefix, member)} ${fateOf(member, prefix, to)}`,
  );
  return [heading, ...see, lines.join("\n")].join("\n\n");
}

function nameOf(prefix: string, { name }: Member): string {
  return prefix.endsWith("=") ? `\`type: ${name}\`` : `\`${name}\``;
}

/** Slots that only a member with the same meaning can hold. */
const NEEDS_MEMBER = new Set(["stop", "stop_sequences", "top_k"]);

/** Members that other dialects do not have and do not need. */
const LABELS = new Set(["response_format.json_schema.name", "text.format.name"]);

function fateOf(member: Member, prefix: string, to: DialectTables): string {
  const { feature, slot, reads } = member;
  if (feature !== undefined) return featureFate(member, feature, to);
  if (slot === undefined) return `ignored${reads === "" ? "" : `: ${reads}`}`;
  const fate = to.notWritten.get(slot);
  if (fate !== undefined) return fate;
  const targets = membersOf(to, slot, prefix);
  const names = targets.map(({ path }) => `\`${path}\``).join(", ");
  const written = targets.flatMap(({ path, member: { writes } }) =>
    writes === "" ? [] : [targets.length > 1 ? `\`${path}\`: ${writes}` : writes],
  );
  const notes = [...(reads === "" ? [] : [reads]), ...written].join("; ");
  if (names === "" && LABELS.has(prefix + member.name))
    return "ignored: a label, not an instruction";
  if (names === "" && NEEDS_MEMBER.has(member.name)) return `**dropped**, and listed`;
  return `→ ${names === "" ? "(by its value)" : names}${notes === "" ? "" : `: ${notes}`}`;
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

function featureFate({ neutral }: Member, feature: Feature, to: DialectTables): string {
  if (to.supported.includes(feature)) return "→ the same";
  const passes = neutral === "" ? "" : ` \`${NEUTRAL[neutral] ?? neutral}\` is accepted.`;
  const advice = feature.advice === "" ? "" : ` ${feature.advice}`;
  return `**${feature.fate}**: ${feature.title}.${advice}${passes}`;
}

const NEUTRAL: Record<string, string> = { empty: "[]" };

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
    const { title, link, fate } = feature;
    const supporters = dialects.filter((one) => asks(one, feature)).map((one) => one.title);
    return `- ${link === "" ? title : `[${title}](${link})`}: ${fate}. Native to ${supporters.join(", ")}.`;
  });
  return [
    "## Features",
    "What a request can ask for that only some dialects support, and what happens if the provider's does not.",
    lines.join("\n"),
  ].join("\n\n");
}

/** Returns whether a dialect has a member for a feature. */
function asks({ tables, hasClients, supported }: DialectTables, feature: Feature): boolean {
  if (!hasClients) return supported.includes(feature);
  return tables.some(({ members }) => members.some((one) => one.feature?.id === feature.id));
}
