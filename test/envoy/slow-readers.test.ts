// Clients that do not read 100 MB: Envoy holds little for each of them, and no stream beside them is cut or stopped.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSlowReaders } from "../soak/slow-readers.ts";
import type { Held, Readers, SlowReaders } from "../soak/slow-readers.ts";

const SECONDS = 1000;
/** Of Envoy at its start, and for each reader (docs/overload.md). */
const START_MB = 120;
const READER_MB = 3;
/** Envoy ends streams that do not move for 5 s when memory is used up (docs/overload.md). */
const NEARLY_IDLE_MS = 4 * SECONDS;

function nameOf({ kind, count, client, provider }: Readers): string {
  return `${String(count)} readers of ${kind}, HTTP/${client} clients, HTTP/${provider} provider`;
}

function readers(kind: Readers["kind"], versions: string, count: number): Readers {
  const [client, provider] = versions.split(" ") as ["1" | "2", "1" | "2"];
  return { kind, count, client, provider };
}

// What the gateway takes of the chart's 1 GiB, and what a user may set.
describe.each([
  {
    memory: "384MiB",
    all: [
      readers("file", "1 1", 24),
      readers("chat", "1 2", 24),
      readers("file", "2 2", 24),
      readers("messages", "1 1", 24),
      readers("messages", "2 2", 24),
      readers("bedrock", "2 1", 24),
    ],
  },
  {
    memory: "1GiB",
    all: [
      readers("file", "1 1", 120),
      // More than a connection to the provider has streams: the window of the connection must not be used up.
      readers("chat", "2 2", 120),
      readers("bedrock", "1 1", 120),
    ],
  },
])("with memory: $memory", ({ memory, all }) => {
  let slow: SlowReaders;
  beforeAll(async () => {
    slow = await startSlowReaders(100, { limits: `{memory: ${memory}}` });
  });
  afterAll(() => slow.stop());

  it.each(all.map((one) => ({ name: nameOf(one), one })))(
    "$name cut no other stream and take little memory",
    async ({ one }) => {
      const held = await slow.run(one);
      expect(held).toMatchObject({ cut: 0, reset: 0 });
      expect(held.rssMb).toBeLessThan(START_MB + one.count * READER_MB);
    },
    120 * SECONDS,
  );
});

describe(
  "when slow readers use up all memory",
  () => {
    let slow: SlowReaders;
    beforeAll(async () => {
      slow = await startSlowReaders(100, { limits: "{memory: 72MiB}", timeoutMs: 600 * SECONDS });
    });
    afterAll(() => slow.stop());
    const count = async (name: string): Promise<number> =>
      Number((await slow.gateway.admin(`/stats?filter=${name}$`)).split(": ")[1]);
    const isIdle = (): Promise<void> =>
      expect.poll(() => count("stop_accepting_requests.active"), { timeout: 60 * SECONDS }).toBe(0);

    it("slow readers that hold the most are reset when memory is used up, with HTTP/1 clients too", async () => {
      const { cut } = await slow.run(readers("chat", "1 2", 120));
      expect(cut).toBe(0);
      expect(await count("reset_high_memory_stream.count")).toBeGreaterThan(0);
    });

    it("slow readers that do not move are reset when memory is used up, with HTTP/1 at both ends too", async () => {
      const useUpMemory = async (): Promise<Held> => {
        await isIdle();
        const before = await count("egress.downstream_rq_idle_timeout");
        return slow.run(readers("chat", "1 1", 250), async () => {
          await expect
            .poll(() => count("egress.downstream_rq_idle_timeout"), { timeout: 60 * SECONDS })
            .toBeGreaterThan(before);
          await isIdle();
        });
      };
      let held = await useUpMemory();
      // Where the whole machine pauses for seconds, the bystanders do not move either: such a run shows nothing.
      for (let more = 2; more > 0 && held.pausedMs > NEARLY_IDLE_MS; more--)
        held = await useUpMemory();
      expect(held.cut).toBe(0);
    });
  },
  480 * SECONDS,
);
