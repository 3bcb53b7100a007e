// Records the control actions of a running gateway: start, stop, reload, and what the admin surface reports.
import { join } from "node:path";
import { inspect } from "node:util";
import { changeLine } from "../../model/model-changes.ts";
import { setAuditSink } from "../admin/audit.ts";
import type { AuditActor, AuditEntry } from "../audit/audit-line.ts";
import { AuditLog, type AuditWriter } from "../audit/audit-log.ts";
import { formatProblem } from "../report/problem.ts";
import { accountName } from "./account-name.ts";
import type { Configuration } from "./configuration-file.ts";
import type { Report } from "./own-log.ts";
import { VERSION } from "./package-version.ts";
import { needsRestart, type ReloadResult } from "./reload.ts";

const FOLDER = "audit";
/** Changes and problems of a reload that a line has. */
const MAX_DETAILS = 100;

/** Returns the directory of a configuration's audit log. @param directory the state directory */
export function auditDirectory(directory: string, { model }: Pick<Configuration, "model">): string {
  return model.audit?.directory ?? join(directory, FOLDER);
}

/** The user whose processes can open the control socket. */
export function socketActor(): AuditActor {
  return { kind: "socket", name: accountName() };
}

/** What changed the gateway without a user's request. */
export function processActor(name: string): AuditActor {
  return { kind: "process", name };
}

/** The audit log of the active configuration. */
export class ControlAudit implements AuditWriter {
  readonly #directory: string;
  readonly #report: Report;
  readonly #onProblem: () => void;
  #log: AuditLog;
  #active: Configuration;

  /**
   * Opens the log.
   * @param directory the state directory
   * @param onProblem called when `problem` has changed
   */
  constructor(directory: string, active: Configuration, report: Report, onProblem: () => void) {
    this.#directory = directory;
    this.#report = report;
    this.#onProblem = onProblem;
    this.#active = active;
    this.#log = this.#open(active);
    setAuditSink((entry) => {
      this.append(entry);
    });
  }

  get directory(): string {
    return this.#log.directory;
  }

  get problem(): string | undefined {
    return this.#log.problem;
  }

  /** Writes a line, and returns whether it is on the disk. */
  append(entry: AuditEntry): boolean {
    return this.#log.append(entry);
  }

  /** Records a denial; many of them are counted. */
  denied(entry: Omit<AuditEntry, "result">): void {
    this.#log.denied(entry);
  }

  /** Records the start. @param failure why it failed */
  started(failure?: { reason: unknown }): void {
    const { file, sha256 } = this.#active;
    const reason = failure && inspect(failure.reason, { depth: 0 }).split("\n", 1)[0];
    this.append({
      actor: socketActor(),
      action: "gateway.start",
      result: failure === undefined ? "done" : "failed",
      after: { version: VERSION, configuration: file.path, configuration_sha256: sha256, reason },
    });
  }

  /** Records a reload, and goes on in the directory of the configuration that is active now. */
  reloaded(actor: AuditActor, result: ReloadResult, active: Configuration): void {
    const entry: AuditEntry = {
      actor,
      action: "configuration.reload",
      result: result.kind === "applied" || result.kind === "unchanged" ? "done" : "failed",
      before: { configuration_sha256: this.#active.sha256 },
      after: { configuration_sha256: active.sha256, ...detailsOf(result) },
    };
    this.append(entry);
    const isElsewhere = auditDirectory(this.#directory, active) !== this.#log.directory;
    const isOther = active.model.audit?.isCopied !== this.#active.model.audit?.isCopied;
    this.#active = active;
    if (!isElsewhere && !isOther) return;
    this.#log.close();
    this.#log = this.#open(active);
    if (isElsewhere) this.append(entry);
  }

  /** Records the end, and closes the log. */
  stopped(): void {
    setAuditSink(undefined);
    this.append({ actor: processActor("gateway"), action: "gateway.stop" });
    const { line, hash } = this.#log.head;
    this.#report(`Audit log: line ${String(line)}, SHA-256 ${hash}`);
    this.#log.close();
  }

  #open(configuration: Configuration): AuditLog {
    const isCopied = configuration.model.audit?.isCopied === true;
    return new AuditLog({
      directory: auditDirectory(this.#directory, configuration),
      copy: isCopied ? (line) => void process.stdout.write(`${line}\n`) : undefined,
      onProblem: (problem) => {
        if (problem === undefined) this.#report("The audit log is written again.");
        else this.#report(problem, "error");
        this.#onProblem();
      },
    });
  }
}

function detailsOf(result: ReloadResult): Record<string, unknown> {
  switch (result.kind) {
    case "unchanged":
      return { changes: [] };
    case "applied":
      return {
        changes: result.changes.slice(0, MAX_DETAILS).map(changeLine),
        restarted: result.hasRestarted,
      };
    case "invalid":
      return { problems: result.problems.slice(0, MAX_DETAILS).map(formatProblem) };
    case "needs restart":
      return { problems: [needsRestart(result.reasons)] };
    case "failed":
      return { problems: [result.message] };
  }
}
