// The memory of Envoy after its start: the growth with workers and models. Limits are generous: pages of the allocator and of
// the program differ from start to start by some megabytes.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { startGateway } from "../gateway/gateway.ts";

/** Returns the resident memory in MB. */
async function memoryWith(models: number, concurrency: number): Promise<number> {
  const entries = Array.from(
    { length: models },
    (_, at) => `  - {model: vllm/model-${at}, base_url: "http://127.0.0.1:9/v1"}`,
  );
  const config = ["llm_providers:", ...entries].join("\n");
  const gateway = await startGateway({ config, concurrency });
  try {
    const status = readFileSync(`/proc/${gateway.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  } finally {
    await gateway.stop();
  }
}

it("an Envoy with one model and one worker is below 120 MB", async () => {
  expect(await memoryWith(1, 1)).toBeLessThan(120);
});

it("the memory of Envoy grows by at most 4 MB with each worker", async () => {
  expect((await memoryWith(1, 5)) - (await memoryWith(1, 1))).toBeLessThan(16);
});

it("the memory of Envoy grows by at most 20 MB with 500 models", async () => {
  expect((await memoryWith(500, 1)) - (await memoryWith(1, 1))).toBeLessThan(20);
});
