// Memory, descriptors and disk of the gateways over a run: what grows.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SoakGateway } from "./gateways.ts";

/** A series of values, one for each sample. */
export interface Series {
  name: string;
  unit: "MB" | "";
  values: number[];
  /** How much more the last third may have than the first one. */
  allowed: number;
}

const ENVOY_MB = 20;
/** A configuration that was replaced holds its virtual machine for as long as a request may need it. */
const REPLACED_MB = 8;
const CONTROL_PLANE_MB = 40;
/** Connections come and go with the requests in flight. */
const DESCRIPTORS = 60;
const DISK_MB = 4;

interface Measure {
  name: string;
  unit: Series["unit"];
  allowed: number;
  read: (of: { gateway: SoakGateway; pid: number; envoyPid: number }) => number;
}

const MEASURES: readonly Measure[] = [
  {
    ...{ name: "Envoy's memory", unit: "MB", allowed: ENVOY_MB },
    read: ({ envoyPid }) => residentMb(envoyPid),
  },
  {
    ...{ name: "Envoy's descriptors", unit: "", allowed: DESCRIPTORS },
    read: ({ envoyPid }) => descriptors(envoyPid),
  },
  {
    ...{ name: "the control plane's memory", unit: "MB", allowed: CONTROL_PLANE_MB },
    read: ({ pid }) => residentMb(pid),
  },
  {
    ...{ name: "the control plane's descriptors", unit: "", allowed: DESCRIPTORS },
    read: ({ pid }) => descriptors(pid),
  },
  {
    ...{ name: "logs and state on the disk", unit: "MB", allowed: DISK_MB },
    read: ({ gateway }) => bytesOf([gateway.logDirectory, gateway.stateDirectory]) / 1024 ** 2,
  },
];

/** The values of gateways by name; a sample adds one to each series. */
export class Growth {
  readonly series: Series[] = [];
  readonly #allowed: Record<Series["unit"], number>;

  /** @param replaced configurations that may still be held at the end */
  constructor(replaced: number) {
    this.#allowed = { MB: replaced * REPLACED_MB, "": 0 };
  }

  async sample(name: string, gateway: SoakGateway): Promise<void> {
    const { pid, envoyPid } = await gateway.status();
    for (const { read, ...measure } of MEASURES) {
      const title = `${name}: ${measure.name}`;
      let own = this.series.find((one) => one.name === title);
      if (own === undefined)
        this.series.push(
          (own = {
            ...measure,
            name: title,
            values: [],
            allowed: measure.allowed + this.#allowed[measure.unit],
          }),
        );
      own.values.push(read({ gateway, pid, envoyPid: envoyPid ?? 0 }));
    }
  }

  problems(): string[] {
    return this.series
      .filter((one) => ends(one).last - ends(one).first > one.allowed)
      .map(
        ({ name, values }) =>
          `${name} grows: ${values.map((value) => value.toFixed(1)).join(", ")}`,
      );
  }
}

/** The most of the first third, and of the last. */
export function ends({ values }: Series): { first: number; last: number } {
  const third = Math.max(1, Math.floor(values.length / 3));
  return { first: Math.max(...values.slice(0, third)), last: Math.max(...values.slice(-third)) };
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}

const descriptors = (pid: number) => readdirSync(`/proc/${String(pid)}/fd`).length;

function bytesOf(directories: readonly string[]): number {
  const files = directories.flatMap((directory) =>
    readdirSync(directory, { recursive: true, encoding: "utf8" }).map((name) =>
      join(directory, name),
    ),
  );
  // Rotation may have removed one meanwhile.
  return files.reduce((sum, file) => {
    const found = statSync(file, { throwIfNoEntry: false });
    return sum + (found?.isFile() === true ? found.size : 0);
  }, 0);
}
