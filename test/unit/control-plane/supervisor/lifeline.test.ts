// What is started with a lifeline ends with whoever started it, also by SIGKILL, and leaves nobody behind when it ends first.
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { identityOf, isAlive } from "../../../../control-plane/processes/process-identity.ts";
import { spawnWithLifeline } from "../../../../control-plane/supervisor/lifeline.ts";

const LIFELINE = join(import.meta.dirname, "../../../../control-plane/supervisor/lifeline.ts");
const SECONDS = { timeout: 60_000, interval: 20 };

const owners: ChildProcess[] = [];
afterEach(() => {
  for (const owner of owners.splice(0)) owner.kill("SIGKILL");
});

/** A process that starts `words` with a lifeline and writes down the id. */
async function startOwner(...words: string[]) {
  const program = `
    const { spawnWithLifeline } = await import(${JSON.stringify(LIFELINE)});
    const [file, ...words] = ${JSON.stringify(words)};
    const started = spawnWithLifeline(file, words, { stdout: "pipe", stderr: "pipe" }, { detached: true });
    started.stdout.once("data", () => console.log(started.pid));`;
  const owner = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  owners.push(owner);
  const pid = await new Promise<number>((resolve) => {
    owner.stdout.once("data", (data: Buffer) => {
      resolve(Number(data));
    });
  });
  return { owner, program: identityOf(pid), watchers: childrenOf(pid) };
}

function childrenOf(parent: number) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map((name) => identityOf(Number(name)));
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return undefined;
  }
}

it("the lifeline ends a program whose owner was killed", async () => {
  const { owner, program, watchers } = await startOwner("sh", "-c", "echo ready; exec sleep 600");
  expect(isAlive(program)).toBe(true);
  expect(watchers).toHaveLength(1);
  owner.kill("SIGKILL");
  await vi.waitFor(() => {
    expect([program, ...watchers].filter(isAlive)).toEqual([]);
  }, SECONDS);
});

it("the lifeline ends a program that does not listen to SIGTERM", async () => {
  const { owner, program } = await startOwner(
    "sh",
    "-c",
    "trap '' TERM; echo ready; while :; do sleep 0.05; done",
  );
  owner.kill("SIGKILL");
  await vi.waitFor(() => {
    expect(isAlive(program)).toBe(false);
  }, SECONDS);
});

it("the lifeline is the program itself: id, signals, output, exit code; it leaves no process behind", async () => {
  const program = `
    process.on("SIGUSR2", () => process.exit(7));
    setInterval(() => undefined, 60_000);
    let third = "";
    try { third = fs.readlinkSync("/proc/self/fd/3"); } catch {}
    console.error(third.startsWith("socket:") ? "holds the pipe" : "does not hold the pipe");
    console.log(process.pid, ...process.argv.slice(1));`;
  const child = spawnWithLifeline(
    process.execPath,
    ["-e", program, "a b", "$c"],
    { stdout: "pipe", stderr: "pipe" },
    { env: { PATH: process.env["PATH"] } },
  );
  let said = "";
  let complained = "";
  child.stdout?.on("data", (data: Buffer) => (said += data.toString()));
  child.stderr?.on("data", (data: Buffer) => (complained += data.toString()));
  await vi.waitFor(() => {
    expect(said).toBe(`${child.pid} a b $c\n`);
    expect(complained).toBe("does not hold the pipe\n");
  }, SECONDS);
  const watchers = childrenOf(child.pid ?? 0);
  expect(watchers).toHaveLength(1);
  child.kill("SIGUSR2");
  expect(await new Promise((resolve) => child.once("close", resolve))).toBe(7);
  await vi.waitFor(() => {
    expect(watchers.filter(isAlive)).toEqual([]);
  }, SECONDS);
});
