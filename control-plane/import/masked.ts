// What an imported file has without an equivalent, as lines of a comment: keys that were written into the file are left out.
import { isAlias, isMap, isNode, isPair, isScalar, isSeq, stringify, visit } from "yaml";
import type { Document } from "yaml";
import { isSecretPlace, namesCredential, withoutSecrets } from "../report/secrets.ts";

const MAX_LINES = 12;
const HIDDEN = "(not shown)";

/** Returns lines of YAML for a comment. */
function shownYaml(value: unknown): string[] {
  const lines = stringify(maskedTree(value, false), { lineWidth: 0 })
    .trimEnd()
    .split("\n")
    .map((line) => maskedLine(line));
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `… (${String(more)} more lines)`] : lines;
}

/** Returns a value without what stands below the name of a credential, at any depth. References to the environment stay. */
function maskedTree(value: unknown, isSecret: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => maskedTree(item, isSecret));
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([name, member]: [string, unknown]) => [
      name,
      maskedTree(member, isSecret || namesCredential(name)),
    ]);
    return Object.fromEntries(members) as unknown;
  }
  if (typeof value === "string")
    return (isSecret && !isReference(value)) || value.includes("-----BEGIN") ? HIDDEN : value;
  return isSecret && (typeof value === "number" || typeof value === "bigint") ? HIDDEN : value;
}

/** Whether a text is nothing but references to the environment, possibly after the word of a scheme: `Bearer $KEY`. */
function isReference(text: string): boolean {
  return /^["']?(?:[A-Za-z-]+ )?(?:(?:\$\{\w+\}|\$\w+)+|os\.environ\/\w+)["']?$/.test(text.trim());
}

/** Returns a sentence or a line of YAML without what may be a key. References to the environment stay. */
function maskedLine(line: string): string {
  const [, start = "", name = "", value = ""] =
    /^(\s*(?:- )?["']?)([\w.-]+)["']?:\s+(\S.*)$/.exec(line) ?? [];
  const isHidden = namesCredential(name) && !isReference(value.replace(/\s+#.*$/, ""));
  return withoutKeys(isHidden ? `${start}${name}: ${HIDDEN}` : line);
}

/** `master_key: …`, `"api_key" = …` anywhere in a comment; its value is the rest of the line. */
const ASSIGNMENT = /([\w.-]+)["']?(?:\s*=|:(?=\s|["'])|:$)\s*/g;

/** Returns a comment of the source without the values of keys, also of those that span several lines. */
function maskedComment(comment: string, isBelowSecret: boolean): string {
  /** The indentation of a name of a credential whose value is on the lines below it. */
  let secretAt: number | undefined;
  const lines = comment.split("\n").map((line) => {
    const indent = /^[\s#]*/.exec(line)?.[0] ?? "";
    const rest = line.slice(indent.length);
    const isItem = rest.startsWith("-");
    if (secretAt !== undefined && rest !== "") {
      if (indent.length > secretAt || (isItem && indent.length === secretAt))
        return isReference(rest.replace(/^-\s*/, "")) ? line : `${indent}${HIDDEN}`;
      secretAt = undefined;
    }
    if (isBelowSecret && isItem && !isReference(rest.replace(/^-\s*/, "")))
      return `${indent}${HIDDEN}`;
    const found = [...line.matchAll(ASSIGNMENT)].find(([, name = ""]) => namesCredential(name));
    if (found === undefined) return withoutKeys(line);
    const end = found.index + found[0].length;
    const value = line.slice(end);
    if (/^(?:[|>][-+\d]*)?\s*(?:#.*)?$/.test(value)) secretAt = indent.length;
    else if (!isReference(value.replace(/\s+#.*$/, ""))) return line.slice(0, end) + HIDDEN;
    return withoutKeys(line);
  });
  return lines.join("\n");
}

/** Changes the comments of a source, which people keep keys in too. */
export function maskComments(document: Document): void {
  const maskAt = (
    node: { comment?: string | null; commentBefore?: string | null },
    isBelowSecret: boolean,
  ) => {
    if (typeof node.comment === "string") node.comment = maskedComment(node.comment, isBelowSecret);
    if (typeof node.commentBefore === "string")
      node.commentBefore = maskedComment(node.commentBefore, isBelowSecret);
  };
  maskAt(document, false);
  visit(document, (_, node, path) => {
    if (!isNode(node)) return;
    const isBelowSecret = path.some(
      (one) => isPair(one) && isScalar(one.key) && namesCredential(String(one.key.value)),
    );
    maskAt(node, isBelowSecret);
  });
}

/** Changes keys that the gateway would have into references: a text in their place would be a key that everybody knows. */
export function referToKeys(document: Document): void {
  const variables = new Map<string, string>();
  const walk = (node: unknown, path: (string | number)[]): void => {
    if (isMap(node)) {
      for (const { key, value } of node.items)
        walk(value, [...path, String(isScalar(key) ? key.value : key)]);
    } else if (isSeq(node))
      node.items.forEach((item, index) => {
        walk(item, [...path, index]);
      });
    else if (isAlias(node)) walk(node.resolve(document), path);
    else if (isScalar(node)) {
      const name = path.findLast((part) => typeof part === "string" && namesCredential(part));
      const { value } = node;
      const isText = typeof value === "string" || typeof value === "number";
      if (name === undefined || !isText || !isSecretPlace(path)) return;
      if (value === "" || isReference(String(value))) return;
      node.value = `$${variableOf(String(name), String(value), variables)}`;
      delete node.type;
      delete node.source;
      node.comment = " the key was in the file: put it into this variable";
    }
  };
  walk(document.contents, []);
}

/** Returns the variable for a key, named after its place: GATEWAY_API_KEY, GATEWAY_API_KEY_2 … */
function variableOf(name: string, key: string, variables: Map<string, string>): string {
  const usual =
    name === "api_keys" ? "GATEWAY_API_KEY" : name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_");
  return freeVariable(usual, key, variables);
}

/**
 * Returns the variable that has the key already, or the first of NAME, NAME_2 … that no other key has.
 * @param variables the key of each variable; the result is added
 */
export function freeVariable(usual: string, key: string, variables: Map<string, string>): string {
  for (let number = 1; ; number++) {
    const variable = number === 1 ? usual : `${usual}_${String(number)}`;
    const known = variables.get(variable);
    if (known !== undefined && known !== key) continue;
    variables.set(variable, key);
    return variable;
  }
}

/** Returns a text without what looks like a key, and without credentials in URLs. */
export function withoutKeys(text: string): string {
  return withoutSecrets(text).replaceAll(/:\/\/[^/@\s]+@/g, `://${HIDDEN}@`);
}

/** Returns the comment for a part that has no equivalent. */
export function leftOut(reason: string, part: unknown): string {
  return [
    ` Not imported: ${maskedLine(reason)}`,
    ...shownYaml(part).map((line) => `   ${line}`),
  ].join("\n");
}
