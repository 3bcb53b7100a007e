// Texts that a browser keeps and cannot change: a session, and what a sign-in needs to know when the browser comes back.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Role } from "../../admin/actor.ts";

/** Cookies of the two ways in: the form with the token, and the sign-in of a person. A browser has at most one. */
export const TOKEN_COOKIE = "gateway_session";
export const PERSON_COOKIE = "gateway_person";

/** Ended sessions that are remembered until they expire. If there are more, those that expire first are forgotten. */
export const MAX_ENDED = 10_000;

/** A person who has signed in. */
export interface Session {
  /** Unique, so that it can be ended. */
  id: string;
  subject: string;
  name: string;
  roles: Role[];
  groups: string[];
  /** Seconds since 1970. */
  expires: number;
}

/** Returns the value with a proof that it was made here. @param purpose keeps a proof of one use from another */
export function sealed(value: { expires: number }, purpose: string, secret: string): string {
  const text = Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${text}.${proof(text, purpose, secret)}`;
}

/** Returns what `sealed` was given with one of the secrets; undefined if it was changed, is too old, or is of another use. */
export function unsealed(
  text: string,
  purpose: string,
  secrets: readonly string[],
  nowSeconds: number,
): { expires: number } | undefined {
  const [value = "", sent = "", ...more] = text.split(".");
  if (more.length > 0) return undefined;
  if (!secrets.some((secret) => isSame(sent, proof(value, purpose, secret)))) return undefined;
  try {
    const found = JSON.parse(Buffer.from(value, "base64url").toString()) as { expires: number };
    return found.expires > nowSeconds ? found : undefined;
  } catch {
    return undefined;
  }
}

export function newId(): string {
  return randomBytes(18).toString("base64url");
}

/** The sessions that were ended before their time. */
export class EndedSessions {
  readonly #ids: Map<string, number>;
  readonly #onChange: (ids: readonly string[]) => void;

  /** @param ends by id, of before @param onChange receives those that are new */
  constructor(
    ends: Iterable<[string, number]> = [],
    onChange: (ids: readonly string[]) => void = () => undefined,
  ) {
    this.#ids = new Map(ends);
    this.#onChange = onChange;
  }

  /** Returns when each of them may be forgotten, in seconds since 1970. */
  get all(): ReadonlyMap<string, number> {
    return this.#ids;
  }

  end({ id, expires }: Pick<Session, "id" | "expires">, nowSeconds: number): void {
    this.add([[id, expires]], nowSeconds);
  }

  /** Adds those that other gateways have ended. */
  add(ends: Iterable<[string, number]>, nowSeconds: number): void {
    const fresh = [...ends].filter(([id, end]) => end > nowSeconds && !this.#ids.has(id));
    if (fresh.length === 0) return;
    for (const [old, end] of this.#ids) if (end <= nowSeconds) this.#ids.delete(old);
    for (const [id, end] of fresh) this.#ids.set(id, end);
    this.#forgetFirst(this.#ids.size - MAX_ENDED);
    const kept = fresh.flatMap(([id]) => (this.#ids.has(id) ? [id] : []));
    if (kept.length > 0) this.#onChange(kept);
  }

  has({ id }: Pick<Session, "id">): boolean {
    return this.#ids.has(id);
  }

  /** Forgets those that expire first, as Redis does, and of equal ones the same: otherwise gateways would exchange them without end. */
  #forgetFirst(count: number): void {
    if (count <= 0) return;
    const sorted = [...this.#ids].sort(
      ([id, end], [otherId, otherEnd]) => end - otherEnd || (id < otherId ? -1 : 1),
    );
    for (const [id] of sorted.slice(0, count)) this.#ids.delete(id);
  }
}

export function isSame(sent: string, own: string): boolean {
  const [one, other] = [Buffer.from(sent), Buffer.from(own)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function proof(text: string, purpose: string, secret: string): string {
  return createHmac("sha256", secret).update(`${purpose} ${text}`).digest("base64url");
}
