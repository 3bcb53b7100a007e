// A dump of callgrind → functions, and the calls between them.
// https://valgrind.org/docs/manual/cl-format.html

export interface Call {
  caller: string;
  callee: string;
  count: number;
  /** Instructions of the callee and all that it called, in all these calls. */
  inclusive: number;
}

/** Names are those of callgrind: an address in hexadecimal where a program has no symbols. */
export interface Profile {
  total: number;
  /** Instructions of each function without what it called. */
  self: Map<string, number>;
  calls: Call[];
  /** Functions of no file: code that was compiled while the program ran, and sections that callgrind does not know. */
  ofNoFile: Set<string>;
}

/**
 * Reads the text of a dump with positions by line, which are callgrind's default. A cost is the sum of these events, which are
 * instructions (`Ir`) without cache simulation.
 */
export function parseProfile(text: string, events: readonly string[] = ["Ir"]): Profile {
  const profile: Profile = { total: 0, self: new Map(), calls: [], ofNoFile: new Set() };
  const counted = /^events: (.*)$/m.exec(text)?.[1]?.split(" ") ?? [];
  const columns = events.map((event) => counted.indexOf(event));
  // Zeros at the end of a line are left out.
  const costOf = (costs: string[]) =>
    columns.reduce((sum, column) => sum + Number(costs[column] ?? 0), 0);
  const names = { ob: new Map<string, string>(), fn: new Map<string, string>() };
  let [object, current, callee] = ["", "", ""];
  let called: number | undefined;
  for (const line of text.split("\n")) {
    const [, key = "", value = ""] = /^(\w+)(?:=|: )(.*)$/.exec(line) ?? [];
    if (key === "totals") profile.total = costOf(value.split(" "));
    else if (key === "ob") object = nameOf(names.ob, value);
    else if (key === "cfn") callee = nameOf(names.fn, value);
    else if (key === "calls") called = Number.parseInt(value, 10);
    else if (key === "fn") {
      current = nameOf(names.fn, value);
      if (object === "???") profile.ofNoFile.add(current);
    } else if (/^[\d+*-]/.test(line)) {
      const cost = costOf(line.split(" ").slice(1));
      if (called === undefined) add(profile.self, current, cost);
      else profile.calls.push({ caller: current, callee, count: called, inclusive: cost });
      called = undefined;
    } else if (key === "cob") nameOf(names.ob, value);
  }
  return profile;
}

/** `(7) name` defines a number, and `(7)` refers to it. */
function nameOf(names: Map<string, string>, value: string): string {
  const [, number = "", name = ""] = /^\((\d+)\) ?(.*)$/.exec(value) ?? [];
  if (name !== "" || !names.has(number)) names.set(number, name);
  return names.get(number) ?? "";
}

function add(sums: Map<string, number>, name: string, value: number): void {
  sums.set(name, (sums.get(name) ?? 0) + value);
}
