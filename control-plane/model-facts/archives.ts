// Reads files of npm's and PyPI's packages in memory.
import { gunzipSync, strFromU8, unzipSync } from "fflate";

const BLOCK = 512;

/** Returns the texts of a gzipped tar's files by their paths. @param wants whether a file is read */
export function filesOfTarball(
  content: Uint8Array,
  wants: (path: string) => boolean,
): Map<string, string> {
  const tar = gunzipSync(content);
  const files = new Map<string, string>();
  for (let at = 0; at + BLOCK <= tar.length;) {
    const header = tar.subarray(at, at + BLOCK);
    const name = textOf(header.subarray(0, 100));
    if (name === "") break;
    const prefix = textOf(header.subarray(345, 500));
    const path = prefix === "" ? name : `${prefix}/${name}`;
    const size = parseInt(textOf(header.subarray(124, 136)), 8) || 0;
    if (wants(path)) files.set(path, strFromU8(tar.subarray(at + BLOCK, at + BLOCK + size)));
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

/** Returns the text of a wheel's file. Throws if it is not there. */
export function fileOfWheel(content: Uint8Array, path: string): string {
  const found = unzipSync(content, { filter: ({ name }) => name === path })[path];
  if (found === undefined) throw new Error(`the wheel has no ${path}`);
  return strFromU8(found);
}

function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return strFromU8(end < 0 ? bytes : bytes.subarray(0, end)).trim();
}
