// Chromium for the tests of the live page: the one that is named or installed, else Debian's package. Without a font a page's
// text has no size, so one is installed too.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

const PACKAGES = ["chromium", "fonts-dejavu-core"];
const USUAL = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
/** Another apt may be running. */
const APT = ["-o", "DPkg::Lock::Timeout=300", "-qq"];

const run = promisify(execFile);

/** The program, or in a few words why there is none. */
export type Chromium = { file: string } | { missing: string };

export async function ensureChromium(progress: (line: string) => void): Promise<Chromium> {
  const named = process.env["CHROMIUM_BIN"];
  if (named !== undefined && named !== "") return { file: named };
  const found = USUAL.find((file) => existsSync(file));
  if (found !== undefined) return { file: found };
  if (process.getuid?.() !== 0) return { missing: "Chromium is not installed (CHROMIUM_BIN)" };
  progress("Installing Debian's Chromium (120 MB, once)");
  const reason = await install();
  const file = USUAL.find((one) => existsSync(one));
  return file === undefined ? { missing: reason ?? "Debian's package has no program" } : { file };
}

/** Returns why it failed. */
async function install(): Promise<string | undefined> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  try {
    await run("apt-get", [...APT, "update"], { env });
    await run("apt-get", [...APT, "install", "-y", "--no-install-recommends", ...PACKAGES], {
      env,
      maxBuffer: 64 * 1024 * 1024,
    });
    return undefined;
  } catch (error) {
    const { code, stderr, message } = error as Error & { code?: string | number; stderr?: string };
    if (code === "ENOENT") return "Chromium is not installed (CHROMIUM_BIN), and this is no Debian";
    const reason = (stderr || message).trim().split("\n").at(-1) ?? "";
    return `Debian's Chromium cannot be installed (network?): ${reason}`;
  }
}
