// The path of a prompt target: what can stand in a URL, and placeholders that name its parameters.
import { isPathValue, type PromptParameter } from "../../../model/prompts.ts";
import type { Path } from "../../report/problem.ts";
import type { Reading } from "../reading.ts";
import { suggest, suggestion } from "../../report/suggest.ts";

interface Known {
  parameters: readonly PromptParameter[];
  /** Whether these are all parameters of the target. */
  knowsAll: boolean;
}

const PLACEHOLDER = /\{([^{}]*)\}/g;

/** Names of the parameters in a path's template, with whether each stands before the query. */
function placeholdersOf(template: string): { name: string; isInQuery: boolean }[] {
  const query = template.indexOf("?");
  return [...template.matchAll(PLACEHOLDER)].map((match) => ({
    name: match[1] ?? "",
    isInQuery: query >= 0 && match.index > query,
  }));
}

/** Returns the path as written, `/` by default, after reporting its problems. */
export function readTargetPath(
  reading: Reading,
  path: Path,
  written: string | undefined,
  known: Known,
): string {
  const template = written ?? "/";
  const fault = faultOf(template);
  if (fault !== undefined) {
    reading.problem(path, fault.message, { hint: fault.hint });
    return template;
  }
  const placeholders = placeholdersOf(template);
  for (const { name, isInQuery } of placeholders) {
    const parameter = known.parameters.find((one) => one.name === name);
    if (parameter === undefined) {
      if (known.knowsAll) reportUnknown(reading, path, name, known.parameters);
    } else if (!isInQuery) checkSegment(reading, path, parameter);
  }
  const names = known.parameters.map(({ name }) => name);
  // A placeholder that is misspelt stands for the one that is missing.
  const meant = new Set(placeholders.map(({ name }) => suggest(name, names)));
  for (const { name, inPath } of known.parameters) {
    if (!inPath || meant.has(name)) continue;
    const isShown = reading.isShowable(path, name);
    const placeholder = isShown ? `{${name}}` : "placeholder for it";
    const at = written === undefined ? path.slice(0, -1) : path;
    const subject = isShown ? `the parameter ${name}` : "a parameter";
    reading.problem(at, `${subject} has in_path: true, but the path has no ${placeholder}`, {
      hint: `add ${isShown ? placeholder : "one"} to the path, or remove in_path`,
    });
  }
  return template;
}

function faultOf(template: string): { message: string; hint?: string } | undefined {
  if (!template.startsWith("/")) {
    const isUrl = /^https?:\/\//.test(template);
    return {
      message: "the path does not begin with /",
      hint: isUrl ? "host and port belong in endpoints" : `write /${template.slice(0, 40)}`,
    };
  }
  if (template.startsWith("//")) return { message: "the path begins with two slashes" };
  if (template.length > 2000) return { message: "the path is longer than 2000 characters" };
  const rest = template.replaceAll(PLACEHOLDER, "");
  if (/[{}]/.test(rest)) return { message: "the path has an unmatched { or }" };
  if (/[^\x21-\x7e]|["'\\<>^`|#]/.test(rest)) {
    return {
      message: "the path contains a character that is not allowed in a URL",
      hint: "write it percent-encoded: a space is %20",
    };
  }
  return undefined;
}

function reportUnknown(
  reading: Reading,
  path: Path,
  name: string,
  parameters: readonly PromptParameter[],
): void {
  const shown = reading.show(path, `{${name}}`);
  const names = parameters.map((parameter) => parameter.name);
  reading.problem(path, `the placeholder ${shown} names no parameter of this target`, {
    hint: suggestion(suggest(name, names)) ?? "declare it under parameters",
  });
}

/** The default and the enum. */
function knownValues(parameter: PromptParameter): string[] {
  return [
    ...(parameter.default === undefined ? [] : [parameter.default]),
    ...(parameter.enum ?? []),
  ].map(String);
}

/** A segment of the path cannot be left out. */
function checkSegment(reading: Reading, path: Path, parameter: PromptParameter): void {
  const shown = reading.show(path, parameter.name);
  if (parameter.type === "list" || parameter.type === "dict") {
    reading.problem(path, `the parameter ${shown} is a ${parameter.type}, which no path can hold`);
  } else if (knownValues(parameter).some((value) => !isPathValue(value, parameter))) {
    reading.problem(path, `a value of the parameter ${shown} cannot stand in the path`, {
      hint: "for values with / or \\ set allow_slashes: true; empty segments and segments of dots are rejected",
    });
  } else if (!parameter.required && parameter.default === undefined) {
    reading.problem(path, `the parameter ${shown} stands in the path and may be missing`, {
      hint: "make it required, or set a default",
    });
  }
}
