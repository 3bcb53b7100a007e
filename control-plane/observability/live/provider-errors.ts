// How many attempts at each provider have failed in the last minutes, and why the last one did.
import type { ObservedRequest } from "../history/observed-request.ts";

export const ERRORS_S = 300;
/** Of more attempts, the newest. */
const MAX_ATTEMPTS = 20_000;

export interface ProviderErrors {
  name: string;
  attempts: number;
  failed: number;
  /** Of the last failed attempt. */
  lastError?: string;
}

interface Attempt {
  /** Seconds since 1970. */
  at: number;
  provider: string;
  /** Undefined for an attempt that succeeded. */
  error: string | undefined;
}

export class RecentAttempts {
  #attempts: Attempt[] = [];

  add(request: ObservedRequest): void {
    const { ended: at, failedAttempts = [], line, model, error } = request;
    for (const { target, status, error: code, message } of failedAttempts)
      this.#attempts.push({ at, provider: providerOf(target), error: text(status, code, message) });
    const { record } = line;
    // Without an attempt the provider has done nothing; a client that leaves is no error of the provider.
    if (record?.target !== undefined && (line.attempts ?? 0) > 0) {
      const isFailed = error !== "" && error !== "client_disconnected";
      const why = text(line.status, record.code ?? record.error ?? line.flags[0], record.message);
      this.#attempts.push({ at, provider: providerOf(model), error: isFailed ? why : undefined });
    }
    if (this.#attempts.length > 2 * MAX_ATTEMPTS)
      this.#attempts = this.#attempts.slice(-MAX_ATTEMPTS);
  }

  /** Returns the providers that had attempts in the last minutes. */
  report(nowSeconds: number): ProviderErrors[] {
    this.#attempts = this.#attempts.filter(({ at }) => at > nowSeconds - ERRORS_S);
    const found = new Map<string, ProviderErrors>();
    for (const { provider: name, error } of this.#attempts) {
      const sums = found.get(name) ?? { name, attempts: 0, failed: 0 };
      found.set(name, sums);
      sums.attempts += 1;
      if (error === undefined) continue;
      sums.failed += 1;
      sums.lastError = error;
    }
    return [...found.values()];
  }
}

function providerOf(model: string): string {
  return model.slice(0, model.indexOf("/"));
}

function text(status = 0, code = "", message = ""): string {
  return [status === 0 ? "" : String(status), code, message].filter((one) => one !== "").join(" ");
}
