// The certificates of the listeners: writes the files that name them, and notifies Envoy when they change.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listenerSecrets } from "../../envoy/listener-tls.ts";
import { checkCertificate, day } from "../config/listener/certificate.ts";
import { placeOf } from "../../model/model.ts";
import type { GatewayModel, Listener, ListenerTls } from "../../model/model.ts";
import type { Report } from "./own-log.ts";
import { writePrivately } from "./state.ts";

/** Polled, because files may be written in place, swapped behind a symbolic link, or on a network file system. */
const POLL_MS = 1_000;
/** Envoy reads the certificates again when a file is moved into their directory. */
const MARK = "changed";

/** Writes the files that Envoy reads at its start, and watches the certificates from then on. */
export function startCertificates(
  model: GatewayModel,
  directory: string,
  report: Report,
): { stop: () => void } {
  const secured = [model.ingress, model.egress].filter(({ tls }) => tls !== undefined);
  if (secured.length === 0) return { stop: () => undefined };
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const { file, text } of listenerSecrets(model, directory)) writePrivately(file, text);
  const watches = secured.map((listener) => watch(listener, report));
  const timer = setInterval(() => {
    // Checks every file, even after a change was found.
    const isAnyChanged = watches.map((hasChanged) => hasChanged()).includes(true);
    if (isAnyChanged) notifyEnvoy(directory);
  }, POLL_MS).unref();
  return {
    stop: () => {
      clearInterval(timer);
    },
  };
}

/** Makes Envoy read the certificates again. */
function notifyEnvoy(directory: string): void {
  const fresh = join(directory, "..", `${MARK}.${String(process.pid)}`);
  writeFileSync(fresh, "");
  rmSync(join(directory, MARK), { force: true });
  renameSync(fresh, join(directory, MARK));
}

/**
 * Returns a function that returns whether there is a new, valid pair. Files that are still changing are checked again
 * next time.
 */
function watch({ tls, ...listener }: Listener, report: Report): () => boolean {
  if (tls === undefined) return () => false;
  let served = signature(tls);
  let seen = served;
  return () => {
    const now = signature(tls);
    const isSettled = now === seen;
    seen = now;
    if (now === served || !isSettled) return false;
    served = now;
    const outcome = check(tls);
    const place = `${placeOf(listener)}.tls`;
    if (outcome.problem !== undefined) {
      report(
        `The new certificate was rejected (${place}): ${outcome.problem}. The previous one stays active.`,
        "warning",
      );
      return false;
    }
    report(`The new certificate is active (${place}), valid until ${outcome.validTo}.`);
    return true;
  };
}

/** Returns a value that changes whenever the files do, whatever links lead to them. */
function signature({ certificate, key }: ListenerTls): string {
  return [certificate, key]
    .map((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return found === undefined ? "" : `${found.dev}:${found.ino}:${found.size}:${found.mtimeMs}`;
    })
    .join(" ");
}

function check(tls: ListenerTls): { problem?: string; validTo: string } {
  try {
    const [chain, key] = [tls.certificate, tls.key].map((file) => readFileSync(file, "utf8"));
    const { faults, validTo } = checkCertificate(chain ?? "", key ?? "", new Date());
    const [fault] = faults;
    const until = validTo === undefined ? "" : day(validTo);
    return fault === undefined
      ? { validTo: until }
      : { problem: `${tls[fault.part]} ${fault.message}`, validTo: until };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error), validTo: "" };
  }
}
