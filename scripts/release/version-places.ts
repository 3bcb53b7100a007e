// Every place that says the version: package, lock file, filter, image, compose file, change log, documentation.

/** What is wrong, in sentences; none when all agree with package.json. `read` gives a file's text by its path from the top. */
export function versionProblems(read: (file: string) => string): string[] {
  const { version } = JSON.parse(read("package.json")) as { version: string };
  return PLACES.flatMap(({ file, pattern }) => {
    const text = read(file);
    const found = pattern.global ? [...text.matchAll(pattern)] : [pattern.exec(text) ?? []];
    const said = new Set(found.flatMap((match) => match[1] ?? []));
    if (said.size === 0) return [`${file} does not say the version.`];
    return [...said]
      .filter((other) => other !== version)
      .map((other) => `${file} says ${other}, package.json says ${version}.`);
  });
}

/** All matches count where the pattern is global, else the first one. */
const PLACES: readonly { file: string; pattern: RegExp }[] = [
  { file: "package-lock.json", pattern: /"version": "(.*?)"/ },
  { file: "filter/config/version.ts", pattern: /VERSION = "(.*?)"/ },
  { file: "Dockerfile", pattern: /^ARG VERSION=(.*)$/m },
  { file: "compose.yaml", pattern: /gateway[\w-]*:(\d[\w.-]*)/g },
  { file: "deploy/helm/gateway/Chart.yaml", pattern: /^(?:version|appVersion): "?([^"\n]*)/gm },
  // The youngest stands first.
  { file: "CHANGELOG.md", pattern: /^## (\S+)/m },
  { file: "docs/installing.md", pattern: /gateway-(\d[\w.-]*)\.tgz/g },
  { file: "docs/docker.md", pattern: /gateway:(\d[\w.-]*)/g },
];
