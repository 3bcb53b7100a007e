// What a count needs: the compiled filter, Envoy, the load generator and the fake provider.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import type { InstructionsBench } from "../../bench/instructions.ts";
import { type Program, startProvider } from "../../bench/programs.ts";
import { buildTools } from "../../bench/tools.ts";
import { requireEnvoy } from "../../control-plane/supervisor/envoy-binary.ts";

const ROOT = join(import.meta.dirname, "../..");
const ROUNDS = 2;

/** Calls `count`, and stops afterwards what it added to `running`. */
export async function withBench<Counted>(
  count: (bench: InstructionsBench, running: Program[]) => Promise<Counted>,
): Promise<Counted> {
  const valgrind = inject("valgrind");
  if ("missing" in valgrind) throw new Error(valgrind.missing);
  const directory = mkdtempSync(join(tmpdir(), "gateway-instructions-"));
  const tools = buildTools(join(ROOT, "build/bench"));
  const provider = await startProvider(tools.provider);
  const running: Program[] = [provider];
  const bench: InstructionsBench = {
    ...{
      tools,
      provider,
      upstream: provider.port,
      directory,
      valgrind,
      rounds: ROUNDS,
      seconds: 1,
      cases: [],
    },
    envoy: requireEnvoy(process.env).file,
    filters: [["gateway", join(ROOT, "build/filter.wasm")]],
  };
  try {
    return await count(bench, running);
  } finally {
    await Promise.all(running.map((program) => program.stop()));
    rmSync(directory, { recursive: true, force: true });
  }
}
