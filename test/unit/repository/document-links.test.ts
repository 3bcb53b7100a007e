// Relative links, anchors and file names in the Markdown documents: the file exists, and so does the heading.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, matchesGlob, resolve } from "node:path";
import { expect, it } from "vitest";
import manifest from "../../../package.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "../../..");
const PAGES = globSync(["*.md", "docs/**/*.md", "bench/*.md", "test/**/*.md"], { cwd: ROOT });
/** A path from the top, or from the folder of the page, as code. */
const SOURCE =
  /`((?:contract|model|filter|envoy|control-plane|scripts|test|bench|docs|deploy|examples)\/[\w./-]+)`/g;
const read = (file: string) => readFileSync(file, "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");

/** The anchors of a page, as GitHub derives them from its headings. */
function anchorsOf(file: string): Set<string> {
  const headings = [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
  return new Set(
    headings.map((slug, at) => {
      const twins = headings.slice(0, at).filter((other) => other === slug).length;
      return twins === 0 ? slug : `${slug}-${String(twins)}`;
    }),
  );
}

function linksOf(text: string): string[] {
  const inline = [...text.matchAll(/\]\(([^)\s]+)\)/g)];
  const definitions = [...text.matchAll(/^\[[^\]]+\]: (\S+)$/gm)];
  return [...inline, ...definitions].map(([, target = ""]) => target);
}

it("a link's target is among the pages", () => {
  expect(PAGES).toEqual(expect.arrayContaining(["README.md", join("docs", "faults.md")]));
});

it.each(PAGES)("%s links to files and headings that exist", (page) => {
  const file = join(ROOT, page);
  const links = linksOf(read(file)).filter((target) => !/^[a-z]+:/.test(target));
  const broken = links.filter((link) => {
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? file : resolve(dirname(file), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(target).has(anchor);
  });
  expect(broken).toEqual([]);
});

it.each(PAGES)("%s names source files that exist", (page) => {
  const folders = [ROOT, dirname(join(ROOT, page))];
  const paths = [...read(join(ROOT, page)).matchAll(SOURCE)].map(([, path = ""]) => path);
  const isFile = (path: string) => folders.some((folder) => existsSync(join(folder, path)));
  expect(paths.filter((path) => !isFile(path))).toEqual([]);
});

// Comments name decisions, which are for those who have the sources.
it("pages that messages name exist, and are in the npm package", () => {
  const sources = globSync(["contract/**/*.ts", "model/**/*.ts", "control-plane/**/*.ts"], {
    cwd: ROOT,
  });
  const named = sources.flatMap((file) =>
    [...readFileSync(join(ROOT, file), "utf8").matchAll(/docs\/(?:clouds\/)?[\w-]+\.md/g)].map(
      ([page]) => page,
    ),
  );
  expect(named).toContain("docs/budgets.md");
  const isPacked = (page: string) => manifest.files.some((pattern) => matchesGlob(page, pattern));
  expect(named.filter((page) => !isPacked(page) || !existsSync(join(ROOT, page)))).toEqual([]);
});
