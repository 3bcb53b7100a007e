// References to environment variables inside a value: `$NAME`, `${NAME}`; `$$` is a dollar.

type ReferencePart = { text: string } | { environment: string };

export interface ReferenceText {
  parts: ReferencePart[];
  /** Names, each once, in order of appearance. */
  names: string[];
  /** Beginnings `${…` that are no reference, as written. */
  malformed: string[];
}

const TOKEN = /\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)|\$\{[^}\s]{0,40}\}?/g;

/** Returns the name of a reference with a default, as shells have it: `${NAME:-default}`; undefined of other texts. */
export function nameWithDefault(malformed: string): string | undefined {
  return /^\$\{([A-Za-z_][A-Za-z0-9_]*):?[-=?+]/.exec(malformed)?.[1];
}

/** A dollar before anything else (`$5`, a dollar at the end) stands for itself. */
export function parseReferences(value: string): ReferenceText {
  const parts: ReferencePart[] = [];
  const names = new Set<string>();
  const malformed: string[] = [];
  let text = "";
  let position = 0;
  for (const match of value.matchAll(TOKEN)) {
    text += value.slice(position, match.index);
    position = match.index + match[0].length;
    const name = match[1] ?? match[2];
    if (name !== undefined) {
      if (text !== "") parts.push({ text });
      text = "";
      parts.push({ environment: name });
      names.add(name);
    } else if (match[0] === "$$") {
      text += "$";
    } else {
      malformed.push(match[0]);
      text += match[0];
    }
  }
  text += value.slice(position);
  if (text !== "") parts.push({ text });
  return { parts, names: [...names], malformed };
}

/** Where a reference to `name` is written. */
export function referenceTo(name: string): RegExp {
  return new RegExp(String.raw`\$\{?${name}(?![A-Za-z0-9_])`);
}
