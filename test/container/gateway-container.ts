// The gateway in a container on the host's network, as strictly confined as the documentation promises.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GenericContainer, PullPolicy, type StartedTestContainer, Wait } from "testcontainers";
import { dockerOutput, IMAGE } from "./docker.ts";
import { configurationOn, freePorts, type Ports } from "../cli/gateway-command.ts";

const READY = /The gateway \S+ is ready/;
const STARTUP_MS = 30_000;

/** Read-only root file system, no capability, no way to gain one. */
export class ConfinedContainer extends GenericContainer {
  constructor(image = IMAGE) {
    super(image);
    this.hostConfig.ReadonlyRootfs = true;
    this.withTmpFs({ "/tmp": "" })
      .withDroppedCapabilities("ALL")
      .withSecurityOpt("no-new-privileges")
      .withPullPolicy(PullPolicy.neverPull());
  }
}

export interface RunningContainer {
  container: StartedTestContainer;
  id: string;
  ports: Ports;
  /** OpenAI clients; Anthropic clients leave `/v1` out. */
  url: string;
  /** Standard output and error so far. */
  output: () => string;
  /** Runs a program of the image in it; returns its output. */
  execute: (...words: string[]) => Promise<string>;
  /** A graceful stop, as `docker stop`. Returns the exit code. */
  stop: (seconds?: number) => Promise<number>;
  /** Kills what still runs, and removes everything. */
  clear: () => Promise<void>;
}

export interface ContainerOptions {
  /** What follows the listeners in gateway.yaml. */
  configuration?: string;
  environment?: Record<string, string>;
  /** Last changes before the start. */
  adapt?: (container: GenericContainer) => void;
}

/** On free ports of 127.0.0.1; ready when this resolves. */
export async function startContainer(options: ContainerOptions = {}): Promise<RunningContainer> {
  const ports = await freePorts();
  const directory = mkdtempSync(join(tmpdir(), "gateway-container-"));
  const file = join(directory, "gateway.yaml");
  writeFileSync(file, configurationOn(ports, options.configuration));
  let output = "";
  const container = new ConfinedContainer()
    .withNetworkMode("host")
    .withBindMounts([{ source: file, target: "/app/gateway.yaml", mode: "ro" }])
    .withEnvironment(options.environment ?? {})
    .withLogConsumer((stream) => stream.on("data", (text: Buffer) => (output += text.toString())))
    .withWaitStrategy(Wait.forLogMessage(READY))
    .withStartupTimeout(STARTUP_MS);
  options.adapt?.(container);
  const started = await container.start().catch((error: unknown) => {
    rmSync(directory, { recursive: true });
    throw new Error(`The container did not become ready:\n${output}`, { cause: error });
  });
  const id = started.getId();
  return {
    container: started,
    id,
    ports,
    url: `http://127.0.0.1:${ports.egress}/v1`,
    output: () => output,
    execute: (...words) => dockerOutput("exec", id, ...words),
    stop: async (seconds = 40) => {
      await dockerOutput("stop", "--time", String(seconds), id);
      return Number(await dockerOutput("inspect", "--format", "{{.State.ExitCode}}", id));
    },
    clear: async () => {
      await dockerOutput("rm", "--force", "--volumes", id);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
