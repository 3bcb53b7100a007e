// The page's scripts and styles: those of assets/, and those of packages. All are served below one path that has the hash of
// all of their contents, so that modules import each other by their names and browsers keep them for ever.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

/** Files of packages, as the page imports them. */
const VENDORED: Readonly<Record<string, string>> = {
  "uplot.js": "uplot/dist/uPlot.esm.js",
  "uplot.css": "uplot/dist/uPlot.min.css",
  "preact.js": "htm/preact/standalone",
};

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

export interface Asset {
  type: string;
  zipped: Uint8Array<ArrayBuffer>;
}

class Assets {
  readonly #files: ReadonlyMap<string, Asset>;
  readonly #hash: string;

  constructor() {
    const folder = join(import.meta.dirname, "assets");
    const own = readdirSync(folder).map((name) => ({ name, path: join(folder, name) }));
    const vendored = Object.entries(VENDORED).map(([name, specifier]) => ({
      name,
      path: fileURLToPath(import.meta.resolve(specifier)),
    }));
    const hash = createHash("sha256");
    const files = [...own, ...vendored].map(({ name, path }): [string, Asset] => {
      const content = readFileSync(path);
      hash.update(`${name} ${String(content.length)}\n`).update(content);
      const type = TYPES[extname(name)] ?? "application/octet-stream";
      return [name, { type, zipped: new Uint8Array(gzipSync(content)) }];
    });
    this.#files = new Map(files);
    this.#hash = hash.digest("hex").slice(0, 16);
  }

  url(name: string): string {
    return `/assets/${this.#hash}/${name}`;
  }

  /** Returns a file; undefined for an unknown one, or one of another version. */
  find(hash: string, name: string): Asset | undefined {
    return hash === this.#hash ? this.#files.get(name) : undefined;
  }
}

let loaded: Assets | undefined;

/** The files, read when the first page is asked for. */
export const ASSETS = {
  url: (name: string): string => (loaded ??= new Assets()).url(name),
  find: (hash: string, name: string): Asset | undefined =>
    (loaded ??= new Assets()).find(hash, name),
};
