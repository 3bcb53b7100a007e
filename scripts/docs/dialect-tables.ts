// Reads the tables of request members, for docs/dialects.md and its tests. Those of a dialect with clients are the filter's
// (filter/dialects/<vendor>/<api>/members.ts, filter/hub/request/features.ts) and are run: their functions, which the filter
// imports from filter/hub, are recorders here. Those of a dialect for providers only, which the filter does not need, are in
// dialects/<name>.yaml.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { compileFunction } from "node:vm";
import { ModuleKind, transpileModule } from "typescript";
import { parse } from "yaml";
import { DIALECTS, type DialectRow } from "../../contract/dialects.ts";

/** A feature of filter/hub/request/features.ts. */
export interface Feature {
  /** The name in the source. */
  id: string;
  fate: "rejected" | "dropped";
  /** What the client can do instead; empty for a dropped one. */
  advice: string;
  title: string;
  /** The provider's page, or empty. */
  link: string;
}

/** A member of an object of a request. */
export interface Member {
  name: string;
  /** The hub's slot that it holds. */
  slot?: number;
  feature?: Feature;
  /** The value that asks for what happens anyway; empty if there is none. */
  neutral: string;
  /** Markdown: how this dialect reads it, and how it writes its slot. */
  reads: string;
  writes: string;
}

/** An object of a request, or the values of a block's `type`. */
export interface Table {
  /** The name in the source. */
  variable: string;
  title: string;
  /** The provider's page, or empty. */
  link: string;
  /** The beginning of a member's path. */
  prefix: string;
  members: Member[];
}

export interface DialectTables {
  /** The name in contract/dialects.ts. */
  name: string;
  /** As in headings. */
  title: string;
  hasClients: boolean;
  tables: Table[];
  supported: Feature[];
  /** What happens to slots that a dialect for providers only has no member for. */
  notWritten: Map<number, string>;
}

interface Note {
  kind: "about" | "object" | "reads" | "writes";
  text: string;
  link: string;
}

type Run = (exported: object, require: (name: string) => object) => void;

const FILTER = join(import.meta.dirname, "../../filter");
/** The folder of each dialect, `<vendor>/<api>`. */
const FOLDERS: Readonly<Record<string, string>> = {
  openai_chat: "openai/chat",
  openai_responses: "openai/responses",
  anthropic_messages: "anthropic/messages",
  gemini: "google/gemini",
  bedrock_converse: "aws/converse",
};
/** Returns the folder of a dialect below filter/dialects. */
export function folderOf(name: string): string {
  return FOLDERS[name] ?? name;
}

/** A file of `dialects/`: what becomes of the hub's slots in a request. */
interface ProviderFile {
  objects: {
    title: string;
    link: string;
    prefix?: string;
    members: { name: string; slot: string; writes?: string }[];
  }[];
  notWritten: Record<string, string>;
}

type Load = (file: string) => Record<string, unknown>;

/** The dialects in the order of the filter's registry. Throws if a table cannot be run. */
export function readDialectTables(rows: readonly DialectRow[] = DIALECTS): DialectTables[] {
  const load = loader();
  const features = Object.entries(load(join(FILTER, "hub/request/features.ts")));
  for (const [id, feature] of features) (feature as Feature).id = id;
  return rows.map((row) => {
    const { name, title, hasClients } = row;
    const tables = hasClients ? clientTables(row, load) : providerTables(row, load);
    return { name, title, hasClients, ...tables };
  });
}

type Tables = Pick<DialectTables, "tables" | "supported" | "notWritten">;

function clientTables({ name }: DialectRow, load: Load): Tables {
  const exported = load(join(FILTER, "dialects", folderOf(name), "members.ts"));
  const tables = Object.entries(exported).filter(([, value]) => value instanceof MemberTable);
  return {
    tables: tables.map(([variable, table]) => ({ ...(table as MemberTable).table, variable })),
    supported: exported["SUPPORTED"] as Feature[],
    notWritten: new Map(),
  };
}

function providerTables({ name }: DialectRow, load: Load): Tables {
  const slots = load(join(FILTER, "hub/request/slots.ts"));
  const slotOf = (slot: string): number => {
    const value = slots[slot];
    if (typeof value !== "number") throw new Error(`${name}.yaml: no slot is named ${slot}.`);
    return value;
  };
  const file = parse(
    readFileSync(join(import.meta.dirname, "dialects", `${name}.yaml`), "utf8"),
  ) as ProviderFile;
  const { SUPPORTED } = load(join(FILTER, "dialects", folderOf(name), "supported.ts"));
  return {
    tables: file.objects.map(({ title, link, prefix = "", members }) => ({
      ...{ variable: title, title, link, prefix },
      members: members.map(({ slot, writes = "", ...rest }) => ({
        ...{ ...rest, slot: slotOf(slot), neutral: "", reads: "", writes },
      })),
    })),
    supported: SUPPORTED as Feature[],
    notWritten: new Map(
      Object.entries(file.notWritten).map(([slot, fate]) => [slotOf(slot), fate]),
    ),
  };
}

/** The features in the order of filter/hub/request/features.ts. */
export function readFeatures(): Feature[] {
  const features = Object.entries(loader()(join(FILTER, "hub/request/features.ts")));
  return features.map(([id, feature]) => ({ ...(feature as Feature), id }));
}

/** filter/hub/request/member-table.ts, as far as a table calls it. */
class MemberTable {
  readonly table: Omit<Table, "variable">;

  constructor(prefix: string, _inner = "", about?: Note) {
    this.table = { title: about?.text ?? "", link: about?.link ?? "", prefix, members: [] };
  }

  slot(name: string, slot: number, ...notes: Note[]): number {
    return this.add({ name, slot, neutral: "" }, notes);
  }

  feature(name: string, feature: Feature, neutral = "", ...notes: Note[]): number {
    return this.add({ name, feature, neutral }, notes);
  }

  features(names: string, feature: Feature): void {
    for (const name of names.split(",")) this.feature(name, feature);
  }

  ignored(name: string, ...notes: Note[]): number {
    return this.add({ name, neutral: "" }, notes);
  }

  private add(member: Omit<Member, "reads" | "writes">, notes: Note[]): number {
    const note = (kind: Note["kind"]): string => notes.find((one) => one.kind === kind)?.text ?? "";
    return this.table.members.push({ ...member, reads: note("reads"), writes: note("writes") }) - 1;
  }
}

function note(kind: Note["kind"]): (text: string, link?: string) => Note {
  return (text, link = "") => ({ kind, text, link });
}

const RECORDERS: Record<string, object> = {
  [join(FILTER, "hub/request/feature")]: {
    about: note("about"),
    rejected: (advice: string, { text: title, link }: Note) => ({
      fate: "rejected",
      advice,
      title,
      link,
    }),
    dropped: ({ text: title, link }: Note) => ({ fate: "dropped", advice: "", title, link }),
  },
  [join(FILTER, "hub/request/member-table")]: {
    MemberTable,
    object: note("object"),
    reads: note("reads"),
    writes: note("writes"),
  },
  [join(FILTER, "bytes/text/bytes")]: { constant: (text: string) => text },
};

/** A loader of the filter's modules that hold data only. */
function loader(): Load {
  const loaded = new Map<string, Record<string, unknown>>();
  const load: Load = (file) => {
    const known = loaded.get(file);
    if (known !== undefined) return known;
    const { outputText } = transpileModule(readFileSync(file, "utf8"), {
      compilerOptions: { module: ModuleKind.CommonJS },
    });
    const exported: Record<string, unknown> = {};
    loaded.set(file, exported);
    const require = (name: string): object => {
      const path = join(dirname(file), name);
      return RECORDERS[path] ?? load(`${path}.ts`);
    };
    const run = compileFunction(outputText, ["exports", "require"], { filename: file }) as Run;
    run(exported, require);
    return exported;
  };
  return load;
}
