// Every configuration in README and docs is valid as it is printed. A snippet without `llm_providers` is a part of a file: it is
// put below the example of docs/configuration.md, as that page says. A snippet of another program's file begins with its name.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { findConfiguration } from "../../../control-plane/cli/find-configuration.ts";
import { ConfigurationProblems } from "../../../control-plane/config/diagnostics/configuration-problems.ts";
import { formatProblem } from "../../../control-plane/report/problem.ts";
import { readConfiguration } from "../../../control-plane/supervisor/configuration-file.ts";
import { createAuthority } from "../../gateway/certificates.ts";

const ROOT = join(import.meta.dirname, "../../..");
const PAGES = [
  "README.md",
  ...["docs", "docs/clouds"].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  ),
];
/** Files of Prometheus and Kubernetes. */
const OTHER_FILES = /^(?:# prometheus\.yml$|apiVersion:)/m;
/** Of the Helm chart: `configuration` in it is the gateway's. */
const HELM_VALUES = "# values.yaml\n";

interface Snippet {
  /** `docs/budgets.md:6`. */
  place: string;
  text: string;
}

/** Undefined of values of the Helm chart that have none. */
function configurationIn(text: string): string | undefined {
  if (!text.startsWith(HELM_VALUES)) return text;
  return (parse(text) as { configuration?: string }).configuration;
}

const snippets: Snippet[] = PAGES.flatMap((page) => {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [...text.matchAll(/^( *)```ya?ml\n([\s\S]*?)^ *```$/gm)].flatMap((match) => {
    const place = `${page}:${String(text.slice(0, match.index).split("\n").length)}`;
    const plain = (match[2] ?? "").replaceAll(new RegExp(`^${match[1] ?? ""}`, "gm"), "");
    const configuration = configurationIn(plain);
    return configuration === undefined ? [] : [{ place, text: configuration }];
  });
});
const configurations = snippets.filter(({ text }) => !OTHER_FILES.test(text));
const base = snippets.find(
  ({ place, text }) => place.startsWith("docs/configuration.md:") && text.includes("model_aliases"),
);

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "gateway-snippets-"));
  mkdirSync(join(directory, "tls"));
  const { cert, key } = createAuthority().issueFor(["gateway.test"], [0, 90 * 86_400_000]);
  writeFileSync(join(directory, "tls/tls.crt"), cert);
  writeFileSync(join(directory, "tls/tls.key"), key);
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const URLS: Readonly<Record<string, string>> = {
  ALERT_WEBHOOK: "https://alerts.test/events",
  REDIS_URL: "redis://127.0.0.1:6379",
  PROXY_URL: "http://user:password@proxy.test:3128",
};

/** Returns the problems, with a value for every variable that the text names. */
function check(text: string): string[] {
  writeFileSync(join(directory, "gateway.yaml"), text);
  const names = [...text.matchAll(/\$([A-Z_]+)/g)].map(([, name = ""]) => name);
  const environment = Object.fromEntries(
    names.map((name) => [name, URLS[name] ?? `${name}-0123456789abcdef0123456789`]),
  );
  try {
    const file = findConfiguration(undefined, directory);
    readConfiguration(file, environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationProblems)) throw error;
    return error.problems.map(formatProblem);
  }
}

describe("a configuration in the documentation", () => {
  it("configurations are found on many pages of the documentation", () => {
    expect(configurations.length).toBeGreaterThan(40);
    expect(base).toBeDefined();
  });

  it.each(configurations.map(({ place, text }) => [place, text] as const))(
    "a configuration in the documentation is valid: %s",
    (_, text) => {
      const own = (parse(text) ?? {}) as Record<string, unknown>;
      const isWhole = Object.hasOwn(own, "llm_providers");
      const whole = { ...(parse(base?.text ?? "") as object), ...own };
      expect(check(isWhole ? text : stringify(whole))).toEqual([]);
    },
  );
});
