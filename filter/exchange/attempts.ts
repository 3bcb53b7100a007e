// Chooses the target and the credential of each attempt of a request that may have several.
import { OpenAttempt } from "../balance/open-attempt";
import { RetryPolicy, Target } from "../config/target";
import { orderOf } from "../config/rendezvous";
import { FailedAttempts } from "./failed-attempts";
import { FollowUp } from "./follow-up";
import { lacksCredential } from "./missing-credential";
import { currentMilliseconds } from "../host/host";
import { randomWord } from "../host/random";
import { ByteBuffer, Span } from "../bytes/text/bytes";

const NO_WEIGHTS: i32[] = [];
/** A refused or broken connection takes less. Milliseconds. */
const MIN_LONG: i64 = 1000;
/** State of the xorshift generator that chooses by weight; 0 until the first request. */
let random: u32 = 0;

/** A header and a copy of its value, in a list of them. */
export class KeptHeader {
  value: ByteBuffer = new ByteBuffer();
  constructor(
    public name: Span,
    public next: KeptHeader | null,
  ) {}
}

export class Attempts {
  /** Context of the current attempt. */
  contextId: u32 = 0;
  /** How many attempts have begun. */
  count: i32 = 0;
  /** Whether it is decided what follows the current attempt: its response is the client's, or the next attempt is chosen. */
  isDecided: bool = false;
  /** Whether the response is held until it shows content or an error. */
  awaitsToken: bool = false;
  /** Requests another attempt; set with the first one. */
  followUp: FollowUp | null = null;
  /** Positions of targets that do not support the request, if that had to be found out before the first attempt. */
  private unfit: i32[] | null = null;
  /** For the usage record; null if none is written. */
  failed: FailedAttempts | null = null;
  /** Counts and measures each attempt; null if no choice depends on that. */
  measured: OpenAttempt | null = null;
  /** Headers of the client that an attempt in another dialect removed. */
  kept: KeptHeader | null = null;

  /** Index into the route's targets of the one that comes first. */
  private first: i32;
  /** How many targets have been passed. */
  private position: i32 = 0;
  /** Attempts at this target, without those whose credential was rejected. */
  private tries: i32 = 1;
  /** When the current attempt began, in milliseconds; 0 if nothing depends on it. */
  private startedAt: i64 = 0;
  /** Index into the target's credentials, or into their order. */
  private key: u32 = 0;
  /** The order in which the session prefers the target's credentials; null if they are used in turn. */
  private keyOrder: i32[] | null = null;
  /** Credentials of this target that were rejected. */
  private rejected: i32 = 0;

  constructor(
    private targets: Target[],
    private policy: RetryPolicy,
    /** The place of the session that keeps to its target and key, which come first in `targets`; 0: none does. */
    private session: u64 = 0,
    /** Whether `targets` are in the order of the attempts; else their weights decide which comes first. */
    isOrdered: bool = session != 0,
  ) {
    this.first = isOrdered ? 0 : chooseFirst(policy);
    this.selectCredential();
  }

  get target(): Target {
    return this.targets[this.indexAt(this.position)];
  }

  /** The target of the first attempt, unless it was passed over. */
  get firstTarget(): Target {
    return this.targets[this.first];
  }

  /** How many targets were passed over or failed. */
  get fallbacks(): i32 {
    return this.position;
  }

  /** Value of the credential header; empty if the provider has none. */
  get credential(): Span {
    return this.target.credential(this.credentialIndex);
  }

  /** Index into the target's credentials of the one in use. */
  get credentialIndex(): u32 {
    const order = this.keyOrder;
    return order === null ? this.key : order[this.key];
  }

  /** Whether there can be an attempt after this one. */
  get hasMore(): bool {
    return this.targetsLeft > 0 || this.canRepeat || this.hasOtherCredential;
  }

  /** How many targets have not been tried. */
  get targetsLeft(): i32 {
    return this.targets.length - this.position - 1;
  }

  /** Returns a target that has not been tried: 1 is the next one. */
  targetAhead(steps: i32): Target {
    return this.targets[this.indexAt(this.position + steps)];
  }

  /** Puts another API of the same model in the place of a target. The list may be that of the route. */
  replace(steps: i32, target: Target): void {
    const index = this.indexAt(this.position + steps);
    const targets = this.targets.slice(0);
    targets[index] = target;
    this.targets = targets;
  }

  /** Moves on from targets for which Envoy had no credential a moment ago, if another one is left. */
  passWithoutCredential(): void {
    let steps = 0;
    while (steps <= this.targetsLeft && lacksCredential(this.targetAhead(steps))) steps++;
    if (steps > 0 && steps <= this.targetsLeft) this.advance(steps);
  }

  /** Excludes the target so many steps ahead, which does not support the request. */
  ruleOut(steps: i32): void {
    let unfit = this.unfit;
    if (unfit === null) {
      unfit = [];
      this.unfit = unfit;
    }
    unfit.push(this.position + steps);
  }

  isRuledOut(steps: i32): bool {
    const unfit = this.unfit;
    return unfit !== null && unfit.includes(this.position + steps);
  }

  get canRepeat(): bool {
    return this.tries < this.policy.attempts;
  }

  /** Whether the attempt has taken longer than a refused or broken connection. */
  get wasLong(): bool {
    return this.startedAt != 0 && currentMilliseconds() - this.startedAt >= MIN_LONG;
  }

  get hasOtherCredential(): bool {
    return this.rejected + 1 < this.target.credentials.length;
  }

  /** Returns whether a response with this status is followed by another attempt, if there can be one. */
  isRetried(status: u32): bool {
    return this.policy.statuses.includes(<i32>status);
  }

  /** Whether the next target follows the error that the request is too long. */
  get mayTryLonger(): bool {
    return this.policy.afterContextLength && this.targetsLeft > 0;
  }

  begin(contextId: u32): void {
    this.awaitsToken = false;
    this.contextId = contextId;
    this.count++;
    this.isDecided = false;
    const isChoice = this.canRepeat && this.targetsLeft > 0;
    this.startedAt = isChoice ? currentMilliseconds() : 0;
    const failed = this.failed;
    if (failed !== null) failed.begin();
    const measured = this.measured;
    if (measured !== null) measured.begin(this.target.place);
  }

  /** Selects the same target for the next attempt. */
  repeat(): void {
    this.tries++;
    this.rotateCredential();
  }

  /** Selects the same target with its next credential. */
  rejectCredential(): void {
    this.rejected++;
    this.rotateCredential();
  }

  /** Selects the target so many steps ahead. */
  advance(steps: i32): void {
    this.position += steps;
    this.tries = 1;
    this.rejected = 0;
    this.selectCredential();
  }

  /** Copies the value of a header that is about to be removed. */
  keep(name: Span, value: Span): void {
    if (value.length == 0) return;
    const header = new KeptHeader(name, this.kept);
    header.value.span(value);
    this.kept = header;
  }

  release(): void {
    let header: KeptHeader | null = this.kept;
    while (header !== null) {
      header.value.release();
      header = header.next;
    }
    this.kept = null;
  }

  /** The first target comes first, then the others in their order. */
  private indexAt(position: i32): i32 {
    if (position == 0) return this.first;
    return position <= this.first ? position - 1 : position;
  }

  private rotateCredential(): void {
    const count = <u32>this.target.credentials.length;
    if (count > 1) this.key = (this.key + 1) % count;
  }

  private selectCredential(): void {
    const target = this.target;
    const isKept = this.session != 0 && target.keyPlaces.length > 1;
    this.keyOrder = isKept ? orderOf(this.session, target.keyPlaces, NO_WEIGHTS) : null;
    this.key = isKept ? 0 : target.takeCredential();
  }
}

/** Returns the index of the first target: one of those that share the requests by weight. */
function chooseFirst(policy: RetryPolicy): i32 {
  if (policy.totalWeight == 0) return 0;
  let rest = <i32>(nextRandom() % policy.totalWeight);
  const weights = policy.weights;
  for (let i = 0; i < weights.length; i++) {
    rest -= weights[i];
    if (rest < 0) return i;
  }
  return 0;
}

export function nextRandom(): u32 {
  if (random == 0) random = randomWord() | 1;
  random ^= random << 13;
  random ^= random >> 17;
  random ^= random << 5;
  return random;
}
