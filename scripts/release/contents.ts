// Everything that the image consists of, with version and licence: npm's packages, Debian's, and what is neither.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RUNTIME_PACKAGES } from "../../control-plane/download/onnx-runtime-download.ts";
import { ENVOY_VERSION } from "../../control-plane/supervisor/envoy-binary.ts";
import { EMBEDDED_MODEL, MODEL_SHA256 } from "../../control-plane/model-server/embedded-model.ts";
import { WEIGHTS } from "../../control-plane/model-server/extractor/weights.ts";

/** Packages of the image that are not `dependencies`: the npm package has them downloaded on first use. */
const RUNTIME = new Set(Object.keys(RUNTIME_PACKAGES).map((name) => `node_modules/${name}`));

export interface Part {
  kind: "npm" | "debian" | "other";
  name: string;
  version: string;
  /** SPDX expressions where the source has them; what Debian calls a licence may be another word. */
  licences: string[];
  /** Package URL. @see https://github.com/package-url/purl-spec */
  purl: string;
  /** The licences' texts, where they are not in the image as files of their own. */
  texts: string[];
  sha256?: string;
}

interface LockedPackage {
  version: string;
  license?: string;
  dev?: boolean;
}

/** All parts, in the order of kinds and names. `root` is a checkout with its packages installed. */
export function contentsOfImage(root: string, debian: DebianFiles): Part[] {
  return [...npmPackages(root), ...otherParts(root), ...debianPackages(debian)];
}

/**
 * What the npm package brings and downloads, the same on every platform: npm's packages with Node and ONNX Runtime for each of
 * them, Envoy, the model. Without texts, which npm's packages have with them.
 */
export function contentsOfPackage(root: string): Part[] {
  return [...npmPackages(root, () => true), ...otherParts(root)].map((part) => ({
    ...part,
    texts: [],
  }));
}

/** The packages of `dependencies`, with what these need, ONNX Runtime, and the Node for this platform. */
export function npmPackages(
  root: string,
  isIncluded = (path: string) => existsSync(join(root, path)),
): Part[] {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, LockedPackage>;
  };
  return Object.entries(lock.packages)
    .filter(([path, { dev }]) => path !== "" && (dev !== true || RUNTIME.has(path)))
    .filter(([path]) => isIncluded(path))
    .map(([path, { version, license }]) => {
      const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
      return {
        kind: "npm" as const,
        name,
        version,
        licences: license === undefined ? [] : [license],
        purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
        texts: licenceTexts(join(root, path)),
      };
    });
}

/** What comes as a binary, as data, or by way of the compiler. */
function otherParts(root: string): Part[] {
  const apache = readFileSync(join(root, "LICENSE"), "utf8");
  const compiler = JSON.parse(
    readFileSync(join(root, "node_modules/assemblyscript/package.json"), "utf8"),
  ) as { version: string };
  return [
    {
      kind: "other",
      name: "envoy",
      version: ENVOY_VERSION,
      licences: ["Apache-2.0"],
      purl: `pkg:github/envoyproxy/envoy@v${ENVOY_VERSION}`,
      texts: [apache],
    },
    {
      kind: "other",
      name: EMBEDDED_MODEL,
      version: MODEL_SHA256.slice(0, 12),
      licences: ["Apache-2.0"],
      purl: `pkg:huggingface/sentence-transformers/${EMBEDDED_MODEL}`,
      texts: [apache],
      sha256: MODEL_SHA256,
    },
    {
      // Trained by scripts/extractor; the text names the data.
      kind: "other",
      name: "gateway-extractor",
      version: WEIGHTS.sha256.slice(0, 12),
      licences: ["Apache-2.0"],
      purl: `pkg:generic/gateway-extractor@${WEIGHTS.sha256.slice(0, 12)}`,
      texts: [readFileSync(join(root, "NOTICE"), "utf8")],
      sha256: WEIGHTS.sha256,
    },
    {
      // Its standard library is compiled into the filter.
      kind: "other",
      name: "assemblyscript",
      version: compiler.version,
      licences: ["Apache-2.0"],
      purl: `pkg:npm/assemblyscript@${compiler.version}`,
      texts: licenceTexts(join(root, "node_modules/assemblyscript")),
    },
  ];
}

export interface DebianFiles {
  /** dpkg's list of installed packages: /var/lib/dpkg/status. */
  status: string;
  /** The text of a package's /usr/share/doc/<package>/copyright; empty when there is none. */
  copyright: (name: string) => string;
}

/** Their full texts are in the image, under /usr/share/doc and /usr/share/common-licenses. */
export function debianPackages({ status, copyright }: DebianFiles): Part[] {
  return status
    .split("\n\n")
    .filter((paragraph) => /^Status: install ok installed$/m.test(paragraph))
    .map((paragraph) => {
      const field = (name: string) =>
        new RegExp(`^${name}: (.*)$`, "m").exec(paragraph)?.[1]?.trim() ?? "";
      const [name, version, architecture] = ["Package", "Version", "Architecture"].map(field);
      const qualified = `${name ?? ""}@${encodeURIComponent(version ?? "")}`;
      return {
        kind: "debian" as const,
        name: name ?? "",
        version: version ?? "",
        licences: namedLicences(copyright(name ?? "")),
        purl: `pkg:deb/debian/${qualified}?arch=${architecture ?? ""}`,
        texts: [],
      };
    });
}

/** The short names of a machine-readable file; none of another. @see https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/ */
function namedLicences(copyright: string): string[] {
  if (!/^Format:.*copyright-format/im.test(copyright)) return [];
  const names = [...copyright.matchAll(/^License:[ \t]*(\S.*)$/gm)].map(([, name = ""]) =>
    name.trim(),
  );
  return [...new Set(names)].sort();
}

/** Files such as LICENSE, LICENCE.md, COPYING, NOTICE, ThirdPartyNotices.txt at the top of a package. */
function licenceTexts(folder: string): string[] {
  if (!existsSync(folder)) return []; // of another platform
  return readdirSync(folder)
    .filter((name) => /^(?:licen[cs]e|copying|notice|third.?party)/i.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8").trim());
}
