// Tables of LiteLLM's database as its users export them: CSV with a header (psql's \copy), a JSON list, or JSON lines. Which table a
// file has shows in its columns.

export type Row = Readonly<Record<string, unknown>>;

export interface Tables {
  keys: Row[];
  teams: Row[];
  budgets: Row[];
  users: Row[];
  deprecated: Row[];
}

const EMPTY: Tables = { keys: [], teams: [], budgets: [], users: [], deprecated: [] };

/** By table: the columns that it has and those that only other tables have. The first that matches counts. */
const COLUMNS: readonly {
  table: keyof Tables;
  has: readonly string[];
  lacks: readonly string[];
}[] = [
  { table: "deprecated", has: ["token", "active_token_id"], lacks: [] },
  { table: "keys", has: ["token"], lacks: ["jwt_claim_name"] },
  { table: "teams", has: ["team_id", "members_with_roles"], lacks: [] },
  { table: "teams", has: ["team_id", "team_alias"], lacks: ["token"] },
  { table: "users", has: ["user_id", "user_role"], lacks: ["token"] },
  {
    table: "budgets",
    has: ["budget_id", "max_budget"],
    lacks: ["token", "team_id", "user_id", "organization_id", "project_id"],
  },
];

/** Returns the tables of files. Throws an Error that names a file which is none of them. */
export function readTables(files: readonly { name: string; text: string }[]): Tables {
  const tables: Tables = structuredClone(EMPTY);
  for (const { name, text } of files) {
    const rows = rowsOf(name, text);
    const names = new Set(rows.flatMap((row) => Object.keys(row)));
    if (rows.length === 0) continue;
    const found = COLUMNS.find(
      ({ has, lacks }) =>
        has.every((column) => names.has(column)) && !lacks.some((column) => names.has(column)),
    );
    if (found === undefined)
      throw new Error(
        `${name} has no columns of VerificationToken, TeamTable, UserTable, BudgetTable or DeprecatedVerificationToken`,
      );
    tables[found.table].push(...rows);
  }
  return tables;
}

function rowsOf(name: string, text: string): Row[] {
  const trimmed = text.replace(/^\uFEFF/, "").trim();
  if (trimmed === "") return [];
  if (!/^[[{]/.test(trimmed)) return csvRows(name, trimmed);
  try {
    return listOf(JSON.parse(trimmed));
  } catch {
    try {
      return trimmed
        .split(/\r?\n/)
        .flatMap((line) => (line.trim() === "" ? [] : listOf(JSON.parse(line))));
    } catch {
      throw new Error(`${name} is neither JSON nor JSON lines`);
    }
  }
}

function listOf(value: unknown): Row[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.filter(
    (row): row is Row => typeof row === "object" && row !== null && !Array.isArray(row),
  );
}

function csvRows(name: string, text: string): Row[] {
  const [header = [], ...lines] = csvLines(name, text);
  return lines.map((cells) =>
    // A cell that is empty and has no quotes is SQL's NULL.
    Object.fromEntries(header.map((column, at) => [column ?? "", cells[at] ?? null])),
  );
}

/** Returns cells; null for one that is empty and has no quotes. */
function csvLines(name: string, text: string): (string | null)[][] {
  const lines: (string | null)[][] = [[]];
  let at = 0;
  while (at <= text.length) {
    let cell: string | null;
    if (text[at] === '"') {
      const end = endOfQuoted(text, at + 1);
      if (end === undefined) throw new Error(`${name} has a quote that is not closed`);
      cell = text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
    } else {
      const [bare = ""] = /^[^,\r\n]*/.exec(text.slice(at, at + 1_000_000)) ?? [];
      at += bare.length;
      cell = bare === "" || bare === "\\N" ? null : bare;
    }
    lines.at(-1)?.push(cell);
    if (text[at] === "\r") at += 1;
    if (text[at] === "\n") lines.push([]);
    at += 1;
  }
  return lines;
}

function endOfQuoted(text: string, from: number): number | undefined {
  let at = text.indexOf('"', from);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at < 0 ? undefined : at;
}
