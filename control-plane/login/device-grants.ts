// Logins that have begun in a terminal and wait for a browser (RFC 8628). They are in memory: a restart ends them.
import { createHash, randomBytes, randomInt } from "node:crypto";
import { networkOf } from "./attempts-by-address.ts";

/** How long a login may take. Seconds. */
export const GRANT_S = 600;
/** Time between two polls of the terminal. Seconds. */
export const INTERVAL_S = 5;
const SLOWER_S = 5;
/** Terminals are not exact. */
const TOLERANCE_S = 1;
/** Bytes of a device code: it is all that a terminal proves itself by. */
const CODE_BYTES = 32;
/** Letters of a user code: none are vowels, and none look alike (RFC 8628, section 6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const USER_CODE_LENGTH = 8;
/** Further logins are refused until some have ended. */
const MAX_GRANTS = 10_000;
/** Of one address, so that it cannot keep everybody else from logging in. */
const MAX_GRANTS_OF_ADDRESS = 3_000;

/** Where a login began. */
export interface Origin {
  address: string | undefined;
  /** The program, as it calls itself. */
  program: string;
}

/** A login that waits for a browser. */
export interface Waiting {
  id: string;
  userCode: string;
  origin: Origin;
}

interface Grant<Result> extends Waiting {
  /** SHA-256 of the device code. */
  hash: string;
  /** Seconds since 1970, as all times here. */
  expires: number;
  interval: number;
  polled: number;
  /** Undefined: nobody has decided yet. */
  outcome?: { result: Result } | "denied";
}

export type Poll<Result> =
  "authorization_pending" | "slow_down" | "access_denied" | "expired_token" | { result: Result };

export class DeviceGrants<Result> {
  /** By id, in the order in which they expire. */
  readonly #all = new Map<string, Grant<Result>>();
  readonly #byUserCode = new Map<string, string>();
  readonly #byHash = new Map<string, string>();
  /** How many there are, by network. */
  readonly #byNetwork = new Map<string, number>();
  readonly #now: () => number;
  readonly #most: number;
  readonly #mostOfAddress: number;

  /** @param now seconds since 1970 @param most how many may wait at once @param mostOfAddress and of one address */
  constructor(now: () => number, most = MAX_GRANTS, mostOfAddress = MAX_GRANTS_OF_ADDRESS) {
    this.#now = now;
    this.#most = most;
    this.#mostOfAddress = mostOfAddress;
  }

  /** Begins a login; undefined if too many wait, of all or of its address. */
  begin(origin: Origin): { deviceCode: string; userCode: string } | undefined {
    this.#removeExpired();
    const ofNetwork = this.#byNetwork.get(networkOfOrigin(origin)) ?? 0;
    if (this.#all.size >= this.#most || ofNetwork >= this.#mostOfAddress) return undefined;
    const deviceCode = randomBytes(CODE_BYTES).toString("base64url");
    let userCode = newUserCode();
    while (this.#byUserCode.has(userCode)) userCode = newUserCode();
    const [id, hash] = [randomBytes(16).toString("base64url"), hashOf(deviceCode)];
    const expires = this.#now() + GRANT_S;
    this.#all.set(id, {
      ...{ id, hash, userCode, origin, expires },
      ...{ interval: INTERVAL_S, polled: this.#now() - INTERVAL_S },
    });
    this.#byUserCode.set(userCode, id);
    this.#byHash.set(hash, id);
    this.#byNetwork.set(networkOfOrigin(origin), ofNetwork + 1);
    return { deviceCode, userCode };
  }

  /** Returns the login that still waits; undefined if there is none, or it has ended. @param userCode as a person types it */
  waiting(userCode: string): Waiting | undefined {
    return this.#waitingById(this.#byUserCode.get(normalUserCode(userCode)));
  }

  /** Returns whether the login waited. */
  approve(id: string, result: Result): boolean {
    return this.#decide(id, { result });
  }

  deny(id: string): boolean {
    return this.#decide(id, "denied");
  }

  /** Returns the response to a poll of the terminal. A result is returned once. */
  poll(deviceCode: string): Poll<Result> {
    const grant = this.#all.get(this.#byHash.get(hashOf(deviceCode)) ?? "");
    const now = this.#now();
    if (grant === undefined || grant.expires <= now) return "expired_token";
    const { outcome, polled, interval } = grant;
    if (outcome === "denied") return "access_denied";
    if (outcome !== undefined) {
      this.#remove(grant);
      return outcome;
    }
    grant.polled = now;
    if (now - polled >= interval - TOLERANCE_S) return "authorization_pending";
    grant.interval += SLOWER_S;
    return "slow_down";
  }

  #waitingById(id: string | undefined): Grant<Result> | undefined {
    const grant = this.#all.get(id ?? "");
    if (grant === undefined || grant.outcome !== undefined || grant.expires <= this.#now())
      return undefined;
    return grant;
  }

  #decide(id: string, outcome: Grant<Result>["outcome"]): boolean {
    const grant = this.#waitingById(id);
    if (grant === undefined || outcome === undefined) return false;
    grant.outcome = outcome;
    return true;
  }

  #removeExpired(): void {
    for (const grant of this.#all.values()) {
      if (grant.expires > this.#now()) return;
      this.#remove(grant);
    }
  }

  #remove({ id, hash, userCode, origin }: Grant<Result>): void {
    const network = networkOfOrigin(origin);
    const others = (this.#byNetwork.get(network) ?? 0) - 1;
    if (others > 0) this.#byNetwork.set(network, others);
    else this.#byNetwork.delete(network);
    this.#all.delete(id);
    this.#byHash.delete(hash);
    this.#byUserCode.delete(userCode);
  }
}

function networkOfOrigin({ address = "" }: Origin): string {
  return networkOf(address);
}

/** Returns a user code with a hyphen in its middle: `WDJB-MJHT`. */
function newUserCode(): string {
  const letters = Array.from(
    { length: USER_CODE_LENGTH },
    () => LETTERS[randomInt(LETTERS.length)] ?? "",
  );
  return `${letters.slice(0, 4).join("")}-${letters.slice(4).join("")}`;
}

function normalUserCode(typed: string): string {
  const letters = typed
    .slice(0, 32)
    .toUpperCase()
    .replace(/[^A-Z]/g, "");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

function hashOf(deviceCode: string): string {
  return createHash("sha256").update(deviceCode).digest("base64url");
}
