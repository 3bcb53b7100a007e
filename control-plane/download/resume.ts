// Downloads a pinned file. A connection that is cut is continued by a range request, also by a later start; the checksum of
// the whole file decides. Bytes are written at their own positions, so that two downloads of the same file at the same time
// write the same content.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, type FileHandle, open, rm, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { CHECKSUM, CUT } from "./failure.ts";
import type { PinnedFile } from "./pinned-file.ts";
import type { Source } from "./python-index.ts";

/** Connections in a row that bring no byte. */
const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;
/** Maximum pause between two pieces of a response. */
const STALL_MS = 30_000;

/**
 * Downloads the file to `path`, where an earlier, cut download may have left its beginning. Rejects, with that beginning
 * kept, if the connection is cut again and again.
 */
export async function download(
  source: Source,
  file: PinnedFile,
  path: string,
  onBytes: (done: number) => void,
): Promise<void> {
  if (source.url.protocol === "file:") {
    await copyFile(fileURLToPath(source.url), path);
    return verify(path, file);
  }
  const had = await sizeOf(path);
  await fill(source, file, path, onBytes);
  try {
    await verify(path, file);
  } catch (error) {
    if (had === 0) throw error;
    // The beginning may be that of a different file: once more, as a whole.
    await fill(source, file, path, onBytes);
    await verify(path, file);
  }
}

/** Makes the file as long as it has to be. */
async function fill(
  source: Source,
  file: PinnedFile,
  path: string,
  onBytes: (done: number) => void,
): Promise<void> {
  let failures = 0;
  for (;;) {
    const before = await sizeOf(path);
    if (before === file.bytes) return;
    try {
      await downloadRest(source, file, path, before, onBytes);
    } catch (error) {
      if (error instanceof FinalError) throw error;
      const hasProgress = (await sizeOf(path)) > before;
      failures = hasProgress ? 1 : failures + 1;
      if (failures >= MAX_ATTEMPTS) throw error;
      await sleep(FIRST_PAUSE_MS * 2 ** (failures - 1));
    }
  }
}

/** A failure that another attempt does not change. */
class FinalError extends Error {}

async function downloadRest(
  { url, headers }: Source,
  file: PinnedFile,
  path: string,
  from: number,
  onBytes: (done: number) => void,
): Promise<void> {
  const isPart = from > 0 && from < file.bytes;
  const stalled = new AbortController();
  const timer = setTimeout(() => {
    stalled.abort(new Error(`${CUT} (no data for ${String(STALL_MS / 1000)} s)`));
  }, STALL_MS);
  const handle = await open(path, isPart ? "r+" : "w");
  try {
    const response = await fetch(url, {
      headers: {
        ...headers,
        "accept-encoding": "identity",
        ...(isPart ? { range: `bytes=${String(from)}-` } : {}),
      },
      signal: stalled.signal,
    });
    let position = startOf(response, url, from);
    for await (const piece of piecesOf(response)) {
      timer.refresh();
      await writeAt(handle, piece, position, file);
      position += piece.byteLength;
      onBytes(position);
    }
    if (position < file.bytes) throw new Error(CUT);
  } finally {
    clearTimeout(timer);
    await handle.close();
  }
}

async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  try {
    yield* body ?? [];
  } catch (error) {
    throw new Error(CUT, { cause: error });
  }
}

/** Returns the position of the response's first byte: a server without ranges sends the whole file. */
function startOf(response: Response, { host }: URL, from: number): number {
  if (response.status === 200) return 0;
  const range = /^bytes (\d+)-/.exec(response.headers.get("content-range") ?? "");
  if (response.status === 206 && Number(range?.[1]) === from) return from;
  const text = `${host} returned ${String(response.status)}`;
  // 5xx and 429 may pass.
  if (response.status >= 500 || response.status === 429) throw new Error(text);
  throw new FinalError(text);
}

async function writeAt(
  handle: FileHandle,
  piece: Uint8Array,
  position: number,
  file: PinnedFile,
): Promise<void> {
  if (position + piece.byteLength > file.bytes) throw new FinalError(CHECKSUM);
  try {
    await handle.write(piece, 0, piece.byteLength, position);
  } catch (error) {
    throw new FinalError("the file cannot be written", { cause: error });
  }
}

/** Rejects, and removes the file, if it is not the pinned one. */
async function verify(path: string, file: PinnedFile): Promise<void> {
  if ((await hashOf(path)) === file.sha256) return;
  await rm(path, { force: true });
  throw new Error(CHECKSUM);
}

/** Returns the file's SHA-256 (hexadecimal). */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest("hex");
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}
