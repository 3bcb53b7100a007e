// Rotates log files: renames a large file and makes Envoy open a new one.
import { copyFileSync, existsSync, renameSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { accessLogFile, ENVOY_LOGS } from "../../model/names.ts";

import { contentLogIn, createPrivately } from "./private-log.ts";

export interface RotationRules {
  directory: string;
  /** Bytes. */
  maxFileBytes: number;
  /** How many rotated files are kept: `access_llm.log.1` is the newest. */
  keepFiles: number;
}

/** The gateway's own log when it runs in the background. */
export const GATEWAY_LOG = "gateway.log";

export interface Rotation {
  /** Checks all files once. Throws the system's error if one cannot be renamed. */
  check: () => void;
}

/**
 * Returns the rotation.
 * @param current returns the rules, which a reload may change
 * @param reopen makes Envoy reopen its files. It is also called when a file was renamed or removed by a different program
 * (logrotate, a second gateway in the same directory); otherwise Envoy would continue to write to the old one.
 */
export function createRotation(current: () => RotationRules, reopen: () => void): Rotation {
  const filesIn = ({ directory }: RotationRules) =>
    ENVOY_LOGS.map((name) => join(directory, accessLogFile(name)));
  const known = new Map(filesIn(current()).map((file) => [file, inodeOf(file)]));
  return {
    check() {
      const rules = current();
      const files = filesIn(rules);
      const large = files.filter((file) => isLarge(file, rules));
      for (const file of large) rename(file, rules.keepFiles);
      const content = contentLogIn(rules.directory);
      if (large.includes(content)) createPrivately(content);
      const changed = files.filter((file) => known.get(file) !== inodeOf(file));
      for (const file of changed) known.set(file, inodeOf(file));
      if (large.length + changed.length > 0) reopen();
      truncateOwnLog(join(rules.directory, GATEWAY_LOG), rules);
    },
  };
}

/** Renames `x.log` → `x.log.1` → `x.log.2` …; removes files beyond `keep`. */
function rename(file: string, keep: number): void {
  if (keep === 0) {
    rmSync(file, { force: true });
    return;
  }
  rmSync(`${file}.${String(keep)}`, { force: true });
  for (let age = keep - 1; age >= 1; age -= 1) {
    const from = `${file}.${String(age)}`;
    if (existsSync(from)) renameSync(from, `${file}.${String(age + 1)}`);
  }
  renameSync(file, `${file}.1`);
}

/**
 * Copies and truncates the log instead of renaming it: this process and its parent's shell hold it open for appending.
 */
function truncateOwnLog(file: string, rules: RotationRules): void {
  if (!isLarge(file, rules)) return;
  if (rules.keepFiles > 0) copyFileSync(file, `${file}.1`);
  truncateSync(file);
}

function isLarge(file: string, { maxFileBytes }: RotationRules): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxFileBytes;
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}
