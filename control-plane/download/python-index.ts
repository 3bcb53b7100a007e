// Finds the URL of a pinned file on the Python package index, with the settings that pip uses for it.
// https://packaging.python.org/en/latest/specifications/simple-repository-api/
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Environment } from "../report/environment.ts";
import type { PinnedFile } from "./pinned-file.ts";

/** The public index, which pip uses too if nothing else is configured. */
const PUBLIC_INDEX = "https://pypi.org/simple/";
const ACCEPT =
  "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1";
const TIMEOUT_MS = 30_000;

/** Where a file is: an address, with the headers that it requires, or a file of this machine. */
export interface Source {
  url: URL;
  headers: Record<string, string>;
}

/** Returns where the file is. Rejects if no index has it or none can be reached. */
export async function findFile(file: PinnedFile, environment: Environment): Promise<Source> {
  const local = findLinks(environment)
    .map((directory) => join(directory, file.name))
    .find((path) => existsSync(path));
  if (local !== undefined) return { url: pathToFileURL(local), headers: {} };
  let problem: unknown = new Error("no package index is configured");
  for (const index of indexes(environment)) {
    try {
      const found = await findOn(index, file);
      if (found !== undefined) return found;
      problem = new Error(`the package index ${index.host} has no file ${file.name}`);
    } catch (error) {
      problem = error;
    }
  }
  throw problem;
}

async function findOn(index: URL, file: PinnedFile): Promise<Source | undefined> {
  const page = new URL(index);
  const headers = takeCredentials(page);
  page.pathname = `${page.pathname.replace(/\/+$/, "")}/${file.project}/`;
  const response = await fetch(page, {
    headers: { ...headers, accept: ACCEPT },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.status === 404) return undefined;
  if (!response.ok) {
    throw new Error(`the package index ${page.host} returned ${String(response.status)}`);
  }
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  const link = (isJson ? linksOfJson(text) : linksOfHtml(text)).find(
    (link) => nameOf(link, response.url) === file.name,
  );
  if (link === undefined) return undefined;
  const url = new URL(link, response.url);
  // As pip does: the credentials of an index are for its host.
  const own = takeCredentials(url);
  return { url, headers: "authorization" in own || url.host !== page.host ? own : headers };
}

function linksOfJson(text: string): string[] {
  const page = JSON.parse(text) as { files?: { url?: unknown }[] };
  return (page.files ?? []).flatMap(({ url }) => (typeof url === "string" ? [url] : []));
}

function linksOfHtml(text: string): string[] {
  return [...text.matchAll(/<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)].map(
    ([, double, single]) => (double ?? single ?? "").replaceAll("&amp;", "&"),
  );
}

function nameOf(link: string, base: string): string {
  const { pathname } = new URL(link, base);
  return decodeURIComponent(pathname.slice(pathname.lastIndexOf("/") + 1));
}

/** Removes user name and password from the address, which fetch rejects there, and returns them as a header. */
function takeCredentials(url: URL): Record<string, string> {
  if (url.username === "" && url.password === "") return {};
  const pair = [url.username, url.password].map(decodeURIComponent).join(":");
  url.username = "";
  url.password = "";
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** Returns the indexes in the order of pip: PIP_INDEX_URL or pip's configuration file, then the additional ones. */
function indexes(environment: Environment): URL[] {
  if (isOn(environment["PIP_NO_INDEX"])) return [];
  const main = environment["PIP_INDEX_URL"] || configured(environment, "index-url");
  const more = environment["PIP_EXTRA_INDEX_URL"] || configured(environment, "extra-index-url");
  return [main || PUBLIC_INDEX, ...(more ?? "").split(/\s+/)]
    .filter((text) => text !== "")
    .map((text) => {
      const url = URL.parse(text);
      if (url !== null) return url;
      throw new Error("PIP_INDEX_URL or index-url in pip's configuration is not a URL");
    });
}

/** Returns the directories of PIP_FIND_LINKS, which have files by their names. */
function findLinks(environment: Environment): string[] {
  return (environment["PIP_FIND_LINKS"] ?? "")
    .split(/\s+/)
    .filter((text) => text !== "" && !/^https?:/.test(text))
    .map((text) => (text.startsWith("file:") ? fileURLToPath(text) : text));
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && /^(?:1|true|yes|on)$/i.test(value);
}

/** Returns a key of pip's configuration, from the file that pip gives precedence to. */
function configured(environment: Environment, key: string): string | undefined {
  const home = environment["HOME"] ?? homedir();
  const files = [
    environment["PIP_CONFIG_FILE"],
    environment["VIRTUAL_ENV"] && join(environment["VIRTUAL_ENV"], "pip.conf"),
    join(environment["XDG_CONFIG_HOME"] || join(home, ".config"), "pip/pip.conf"),
    join(home, "Library/Application Support/pip/pip.conf"),
    join(home, ".pip/pip.conf"),
    "/etc/pip.conf",
  ];
  const line = new RegExp(`^\\s*${key}\\s*[=:][ \\t]*(.+)$`, "m");
  for (const file of files) {
    if (file === undefined || file === "" || !existsSync(file)) continue;
    const value = line.exec(readFileSync(file, "utf8"))?.[1]?.trim();
    if (value !== undefined) return value;
  }
  return undefined;
}
