// `listeners.<name>.tls`: paths of a certificate and its key, and whether they can serve.
import { resolve } from "node:path";
import type { ListenerTls } from "../../../model/model.ts";
import { checkCertificate, day } from "./certificate.ts";
import type { Path } from "../../report/problem.ts";
import type { Machine, Reading } from "../reading.ts";
import { fileReason } from "../file-reason.ts";

const DAY_MS = 24 * 3_600_000;
/** Time to renew it without haste. */
const SOON_DAYS = 14;

interface Written {
  certificate?: string | undefined;
  key?: string | undefined;
}

/** Undefined without TLS, and where a path is missing. */
export function readListenerTls(
  reading: Reading,
  path: Path,
  written: Written | undefined,
): ListenerTls | undefined {
  const { certificate, key } = written ?? {};
  if (certificate === undefined || key === undefined) return undefined;
  const { machine } = reading;
  const at = [...path, "tls"];
  const directory = machine?.directory ?? "/";
  const files = {
    certificate: resolve(directory, certificate),
    key: resolve(directory, key),
  };
  const texts = { certificate: "", key: "" };
  if (machine === undefined) return files;
  let isRead = true;
  for (const part of ["certificate", "key"] as const) {
    const text = readText(reading, [...at, part], files[part], machine);
    if (text === undefined) isRead = false;
    else texts[part] = text;
  }
  if (isRead) report(reading, at, texts, machine.now);
  return files;
}

function readText(
  reading: Reading,
  path: Path,
  file: string,
  machine: Machine,
): string | undefined {
  try {
    return machine.readFile(file);
  } catch (error) {
    reading.problem(path, `${fileReason(error)}: ${file}`, {
      hint: "paths are absolute or relative to the configuration file",
    });
    return undefined;
  }
}

function report(
  reading: Reading,
  path: Path,
  { certificate, key }: { certificate: string; key: string },
  now: Date,
): void {
  const { faults, validTo } = checkCertificate(certificate, key, now);
  for (const { part, message, hint } of faults) {
    reading.problem([...path, part], `the file ${message}`, { hint });
  }
  if (faults.length > 0 || validTo === undefined) return;
  const days = Math.floor((validTo.getTime() - now.getTime()) / DAY_MS);
  if (days >= SOON_DAYS) return;
  reading.warning([...path, "certificate"], `the certificate is valid until ${day(validTo)} only`, {
    hint: "renew it; the gateway reloads certificate files while it runs",
  });
}
