// What happens to the two gateways of the soak while requests go on. Each row ends when everything runs again.
import { identityOf, isAlive } from "../../control-plane/processes/process-identity.ts";
import { emptyDisk, fillDisk } from "../cli/small-disk.ts";
import type { TestRedis } from "../gateway/redis.ts";
import type { MovedClock } from "./clock.ts";
import { type Gap, killHard, type SoakGateway } from "./gateways.ts";
import { until } from "./until.ts";

export interface World {
  first: SoakGateway;
  second: SoakGateway;
  redis: TestRedis;
  /** Of the second gateway. */
  clock: MovedClock | { missing: string };
  /** Of the first gateway; undefined if none can be mounted. */
  disk: string | undefined;
  /** Waits until some hundred more requests have ended. */
  meanwhile: () => Promise<void>;
  /** Nano-dollars of records that were lost in a gap, at least. */
  lostIn: (gap: Gap, gateway: SoakGateway) => number;
  /** Writes the next configuration, reloads, and waits until clients see it. */
  reload: (gateway: SoakGateway) => Promise<void>;
}

export interface Disturbance {
  name: string;
  /** Why this machine cannot have it. */
  missing?: (world: World) => string | undefined;
  run: (world: World) => Promise<void>;
}

export const DISTURBANCES: readonly Disturbance[] = [
  {
    name: "reload of the first gateway",
    run: ({ first, reload }) => reload(first),
  },
  {
    name: "kill -9 of the first gateway",
    async run({ first, meanwhile }) {
      const { pid, envoyPid } = await first.status();
      const envoy = identityOf(envoyPid ?? 0);
      await outage(first, async () => {
        await killHard(pid);
        await until(() => !isAlive(envoy), "Envoy ends too");
        await meanwhile();
        await first.up();
      });
    },
  },
  {
    name: "kill -9 of the second gateway's Envoy",
    async run({ second, meanwhile }) {
      const { envoyPid } = await second.status();
      const gap = open(second.gaps);
      await outage(second, async () => {
        await killHard(envoyPid ?? 0);
        close(gap);
        await until(second.isReady, "Envoy runs again");
        second.isUp = true;
      });
      await meanwhile();
    },
  },
  {
    name: "kill -9 of Redis, which loses its data",
    async run({ redis, meanwhile }) {
      await redis.kill();
      await meanwhile();
      await redis.start();
      await meanwhile();
    },
  },
  {
    name: "Redis stands still (SIGSTOP)",
    async run({ redis, meanwhile }) {
      redis.pause();
      await meanwhile();
      redis.resume();
      await meanwhile();
    },
  },
  {
    name: "kill -9 of the model server",
    async run({ first, meanwhile }) {
      await killHard(await first.modelServer());
      await meanwhile();
      await until(first.isReady, "the model server runs again");
    },
  },
  {
    name: "reload of the second gateway",
    run: ({ second, reload }) => reload(second),
  },
  {
    name: "full disk of the first gateway",
    missing: ({ disk }) => (disk === undefined ? "no file system can be mounted" : undefined),
    async run({ first, disk = "", meanwhile, lostIn }) {
      const before = first.reportedLost();
      const gap = open(first.gaps);
      gap.isCharged = true;
      // Rotation makes room again and again.
      const filling = setInterval(() => {
        fillDisk(disk);
      }, 20);
      await until(async () => (await first.failedWrites()) > 0, "a record cannot be written");
      await meanwhile();
      clearInterval(filling);
      emptyDisk(disk);
      await until(async () => {
        const { accessLogProblem } = await first.status();
        return accessLogProblem === null;
      }, "logs are written again");
      close(gap);
      await until(
        () => first.reportedLost() - before >= lostIn(gap, first),
        "the cost of records that were lost is added",
      );
    },
  },
  ...[3600, -3600, 0].map((seconds): Disturbance => ({
    name:
      seconds === 0
        ? "the second gateway's clock is right again"
        : `the second gateway's clock is ${seconds > 0 ? "an hour ahead" : "an hour late"}`,
    missing: ({ clock }) => ("missing" in clock ? clock.missing : undefined),
    async run({ clock, meanwhile }) {
      if ("move" in clock) clock.move(seconds);
      await meanwhile();
    },
  })),
];

async function outage(gateway: SoakGateway, during: () => Promise<void>): Promise<void> {
  gateway.isUp = false;
  const gap = open(gateway.outages);
  await during();
  close(gap);
}

function open(gaps: Gap[]): Gap {
  const gap: Gap = { from: performance.now(), to: Infinity };
  gaps.push(gap);
  return gap;
}

function close(gap: Gap): void {
  gap.to = performance.now();
}
