// The checks of this machine: programs, ports, disks, descriptors. Nothing leaves the machine.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { GatewayError } from "../report/gateway-error.ts";
import type { Environment } from "../report/environment.ts";
import type { GatewayModel } from "../../model/model.ts";
import type { Configuration } from "../supervisor/configuration-file.ts";
import { cachedEnvoyFile, requireEnvoy } from "../supervisor/envoy-binary.ts";
import { checkPorts } from "../supervisor/ports.ts";
import { logDirectory } from "../supervisor/log-directory.ts";
import { FILTER_FILE } from "../supervisor/machine-settings.ts";
import { findRunning, stateRoot } from "../supervisor/state.ts";
import { VERSION } from "../supervisor/package-version.ts";
import { type Finding, findingsOf } from "./finding.ts";

/** The Node that the control plane is written for. */
const MIN_NODE = 24;

export function checkVersions(environment: Environment): Finding[] {
  const { ok, warning, problem } = findingsOf("versions");
  const node = Number(process.versions.node.split(".")[0]);
  const found: Finding[] = [
    ok(`gateway ${VERSION} on ${process.platform} ${process.arch}, Node ${process.versions.node}`),
  ];
  if (node < MIN_NODE)
    found.push(
      warning(
        `Node ${process.versions.node} is older than ${String(MIN_NODE)}`,
        "run the command with bin/gateway, which uses its own Node",
      ),
    );
  if (!existsSync(FILTER_FILE))
    found.push(problem("the filter is not built", "run npm start once, or npm run build:filter"));
  try {
    const { file, source } = requireEnvoy(environment);
    const { stdout } = spawnSync(file, ["--version"], { encoding: "utf8", timeout: 5000 });
    const version = /\/(\d+\.\d+\.\d+)\//.exec(stdout)?.[1];
    if (version?.startsWith("1.40.") !== true)
      found.push(
        problem(
          `the Envoy of ${source} is ${version ?? "no Envoy that starts here"}; 1.40 is required`,
          "unset ENVOY_BIN to download it, or set it to an Envoy 1.40",
        ),
      );
    else found.push(ok(`Envoy ${version} (${source})`));
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    found.push(problem(error.message, error.hint));
  }
  for (const { record } of findRunning(environment)) {
    if (record.version === VERSION) continue;
    found.push(
      warning(
        `the running gateway of ${record.configuration} is version ${record.version}`,
        "restart it: gateway down, then gateway up",
      ),
    );
  }
  return found;
}

/** A gateway that runs this configuration uses its ports itself. */
export async function checkFreePorts(
  model: GatewayModel,
  configuration: string,
  environment: Environment,
): Promise<Finding[]> {
  const { ok, problem } = findingsOf("ports");
  const { ingress, egress, observability } = model;
  const listeners = [ingress, egress].map(({ address, port }) => `${address}:${String(port)}`);
  const own = findRunning(environment).find(({ record }) => record.configuration === configuration);
  if (own !== undefined)
    return [ok(`${listeners.join(" and ")} are used by the running gateway of this configuration`)];
  const metrics = observability?.metrics;
  const admin =
    metrics === undefined
      ? []
      : [
          {
            ...egress,
            place: "observability.metrics",
            address: metrics.address,
            port: metrics.port,
          },
        ];
  try {
    await checkPorts([ingress, egress, ...admin], environment);
    return [ok(`${listeners.join(" and ")} are free`)];
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return [problem(error.message, error.hint)];
  }
}

const MIB = 1024 * 1024;
/** Less is a warning, and less than a tenth of it a problem. */
const ENOUGH_DISK = 1024 * MIB;

export function checkDisks(configuration: Configuration): Finding[] {
  const { environment } = configuration;
  const { ok, warning, problem } = findingsOf("disk");
  const places: [what: string, directory: string, advice: string][] = [
    [
      "access logs",
      logDirectory(configuration, undefined),
      "set access_log.directory, or --log-dir",
    ],
    ["state", stateRoot(environment), "set XDG_STATE_HOME to a directory of this user"],
    [
      "downloads",
      dirname(dirname(cachedEnvoyFile(environment))),
      "set XDG_CACHE_HOME to a directory of this user",
    ],
  ];
  return places.map(([what, directory, advice]) => {
    const there = existingParent(directory);
    const where = `${directory} (${what})`;
    try {
      accessSync(there, constants.W_OK | constants.X_OK);
    } catch {
      return problem(`${where} cannot be written`, advice);
    }
    const { bavail, bsize } = statfsSync(there);
    const free = bavail * bsize;
    const shown = `${where} has ${String(Math.floor(free / MIB))} MiB free`;
    if (free >= ENOUGH_DISK) return ok(shown);
    return (free < ENOUGH_DISK / 10 ? problem : warning)(shown, `free some space, or ${advice}`);
  });
}

function existingParent(directory: string): string {
  return existsSync(directory) || directory === dirname(directory)
    ? directory
    : existingParent(dirname(directory));
}

/** A request uses two, for the client and the provider; a busy gateway has thousands in flight. */
const ENOUGH_DESCRIPTORS = 4096;
const FEW_DESCRIPTORS = 256;

export function checkDescriptors(limits = readLimits()): Finding[] {
  const { ok, warning, problem } = findingsOf("descriptors");
  const [, soft, hard] = /^Max open files\s+(\S+)\s+(\S+)/m.exec(limits) ?? [];
  if (soft === undefined) return [ok("the limit of open files is not known on this system")];
  const text = `${soft} open files per process (at most ${hard ?? soft})`;
  if (soft === "unlimited" || Number(soft) >= ENOUGH_DESCRIPTORS) return [ok(text)];
  const what = Number(soft) < FEW_DESCRIPTORS ? problem : warning;
  return [what(text, `raise it: ulimit -n 65536, or LimitNOFILE=65536 of the systemd unit`)];
}

function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return "";
  }
}
