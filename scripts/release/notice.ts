// NOTICE: whose work is in the image, under which licences, and their texts.
import type { Part } from "./contents.ts";

const RULE = "-".repeat(80);

export function notice(version: string, parts: readonly Part[]): string {
  const of = (kind: Part["kind"]) => parts.filter((part) => part.kind === kind);
  const own = [...of("other"), ...of("npm")];
  return [
    `gateway ${version}, Apache-2.0 (LICENSE). Its image holds work of others:`,
    "",
    ...table(own),
    "",
    "Packages of Debian, whose texts are in the image as /usr/share/doc/<package>/copyright:",
    "",
    ...table(of("debian")),
    "",
    ...[...byText(own)].flatMap(([text, names]) => [RULE, names.join(", "), "", text, ""]),
  ].join("\n");
}

function table(parts: readonly Part[]): string[] {
  return parts.map(({ name, version, licences }) => {
    const terms = licences.length === 0 ? "see its text" : licences.join(", ");
    return `- ${name} ${version}: ${terms}`;
  });
}

/** Each text once, under the names of all who use it. */
function byText(parts: readonly Part[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { name, version, texts } of parts) {
    for (const text of texts) {
      const trimmed = text.trim();
      found.set(trimmed, [...(found.get(trimmed) ?? []), `${name} ${version}`]);
    }
  }
  return found;
}
