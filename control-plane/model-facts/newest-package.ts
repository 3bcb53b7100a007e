// Downloads the newest version of a package over HTTPS, without its registry's client, and checks it by the hash that the
// registry publishes.
import { createHash } from "node:crypto";
import type { Environment } from "../report/environment.ts";
import type { CataloguePackage, PackageContent } from "./catalogue-packages.ts";

const TIMEOUT_MS = 120_000;
/** The wheel of LiteLLM has 44 MB. */
const MAX_BYTES = 150_000_000;

const NPM = "https://registry.npmjs.org";
const PYPI = "https://pypi.org/simple";

interface Release {
  version: string;
  date: string;
  url: string;
  algorithm: "sha256" | "sha512";
  /** Hexadecimal. */
  hash: string;
}

/** Reads NPM_CONFIG_REGISTRY and PIP_INDEX_URL, as the clients do. */
export async function newestPackage(
  of: CataloguePackage,
  environment: Environment,
): Promise<PackageContent> {
  const release = await (of.registry === "npm"
    ? newestOfNpm(of.name, environment["NPM_CONFIG_REGISTRY"] || NPM)
    : newestOfPypi(of.name, environment["PIP_INDEX_URL"] || PYPI));
  const content = await fetchBytes(release.url);
  if (createHash(release.algorithm).update(content).digest("hex") !== release.hash) {
    throw new Error(`${of.name} ${release.version} does not have the checksum of its registry`);
  }
  const sha256 = createHash("sha256").update(content).digest("hex");
  return { of, version: release.version, date: release.date, sha256, content };
}

interface NpmDocument {
  "dist-tags"?: { latest?: string };
  time?: Record<string, string>;
  versions?: Record<string, { dist?: { tarball?: string; integrity?: string } }>;
}

async function newestOfNpm(name: string, registry: string): Promise<Release> {
  const url = `${registry.replace(/\/+$/, "")}/${name.replace("/", "%2f")}`;
  const document = (await fetchJson(url, "application/json")) as NpmDocument;
  const version = document["dist-tags"]?.latest ?? "";
  const { tarball, integrity = "" } = document.versions?.[version]?.dist ?? {};
  const [, base64 = ""] = /^sha512-([\w+/=]+)/.exec(integrity) ?? [];
  if (tarball === undefined || base64 === "") throw new Error(`${url} has no release of ${name}`);
  return {
    version,
    date: document.time?.[version]?.slice(0, 10) ?? "",
    url: new URL(tarball, url).href,
    algorithm: "sha512",
    hash: Buffer.from(base64, "base64").toString("hex"),
  };
}

const numeric = new Intl.Collator("en", { numeric: true });

interface PypiFile {
  filename: string;
  url: string;
  hashes?: { sha256?: string };
  "upload-time"?: string;
  yanked?: boolean | string;
}

/** Versions of several branches that are published within this time have much the same content. */
const BRANCHES_MS = 7 * 86_400_000;

/**
 * The highest version of the last week: a project with several branches publishes higher versions with older content, and
 * afterwards lower ones with fewer models.
 */
async function newestOfPypi(name: string, index: string): Promise<Release> {
  const url = `${index.replace(/\/+$/, "")}/${name}/`;
  const accept = "application/vnd.pypi.simple.v1+json";
  const { files = [] } = (await fetchJson(url, accept)) as { files?: PypiFile[] };
  const wheels = files.filter(
    ({ filename, yanked }) =>
      /-\d+(?:\.\d+)*-[^-]+-[^-]+-(?:any|manylinux\w*x86_64)\.whl$/.test(filename) &&
      (yanked ?? false) === false,
  );
  const timeOf = (file: PypiFile) => file["upload-time"] ?? "";
  const latest = wheels.reduce((time, one) => (timeOf(one) > time ? timeOf(one) : time), "");
  const [newest] = wheels
    .filter((one) => Date.parse(latest) - Date.parse(timeOf(one)) < BRANCHES_MS)
    .sort((one, other) => numeric.compare(other.filename, one.filename));
  const hash = newest?.hashes?.sha256;
  if (newest === undefined || hash === undefined) throw new Error(`${url} has no wheel of ${name}`);
  return {
    version: newest.filename.split("-")[1] ?? "",
    date: timeOf(newest).slice(0, 10),
    url: new URL(newest.url, url).href,
    algorithm: "sha256",
    hash,
  };
}

async function fetchJson(url: string, accept: string): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await fetchBytes(url, accept))) as unknown;
}

/** Rejects above MAX_BYTES. */
export async function fetchBytes(url: string, accept = "*/*"): Promise<Uint8Array> {
  const response = await fetch(url, {
    headers: { accept },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const place = `${new URL(url).host} returned ${String(response.status)}`;
  if (!response.ok || response.body === null) throw new Error(place);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > MAX_BYTES)
      throw new Error(`${new URL(url).host} sends more than ${String(MAX_BYTES)} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
