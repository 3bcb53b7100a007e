// Chooses the target and the credential of each attempt of a request that may have several.
import { Several, Target } from "../config/target";
import { currentMilliseconds, randomBytes } from "../host/host";
import { FirstToken } from "../dialects/first-token";
import { ByteBuffer, Span } from "../bytes/text/bytes";

/** Milliseconds. */
const LONG_MS: i64 = 1000;
const NO_CREDENTIAL = new Span(0, 0);
const seed = memory.data(16);
/** State of the xorshift generator that shares out requests; 0 until the first one. */
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
  /** Context of the attempt under way. */
  contextId: u32 = 0;
  /** How many attempts have begun. */
  count: i32 = 0;
  /** Whether it is decided what follows the current attempt: its response is the client's, or the next attempt is chosen. */
  isDecided: bool = false;
  /** Reads the beginning of a response that is held until it shows content or an error; null if none is. */
  peek: FirstToken | null = null;
  /** Positions of targets that do not support the request, if that had to be found out before the first attempt. */
  private unfit: i32[] | null = null;
  /** Headers of the client that an attempt in another dialect removed. */
  kept: KeptHeader | null = null;

  /** Index into the route's targets of the one that comes first. */
  private first: i32;
  /** How many targets have been left behind. */
  private position: i32 = 0;
  /** Attempts at this target, without those that only its key was refused for. */
  private tries: i32 = 1;
  /** When the attempt under way began, in milliseconds; 0 if nothing depends on it. */
  private startedAt: i64 = 0;
  private key: u32 = 0;
  /** Keys of this target that were refused. */
  private refused: i32 = 0;

  constructor(
    private targets: Target[],
    private several: Several,
  ) {
    this.first = chooseFirst(several);
    this.takeTurn();
  }

  get target(): Target {
    return this.targets[this.indexAt(this.position)];
  }

  /** Value of the credential header; empty for a provider without one. */
  get credential(): Span {
    const credentials = this.target.credentials;
    return <i32>this.key < credentials.length ? credentials[this.key] : NO_CREDENTIAL;
  }

  /** Whether there can be an attempt after this one. */
  get hasMore(): bool {
    return this.targetsLeft > 0 || this.canRepeat || this.hasOtherKey;
  }

  /** How many targets have not had their turn. */
  get targetsLeft(): i32 {
    return this.targets.length - this.position - 1;
  }

  /** A target that has not had its turn: 1 is the next one. */
  targetAhead(steps: i32): Target {
    return this.targets[this.indexAt(this.position + steps)];
  }

  /** The target so many steps ahead cannot take the request. */
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
    return this.tries < this.several.attempts;
  }

  /** Whether the attempt has taken longer than a refused or broken connection does. */
  get wasLong(): bool {
    return this.startedAt != 0 && currentMilliseconds() - this.startedAt >= LONG_MS;
  }

  get hasOtherKey(): bool {
    return this.refused + 1 < this.target.credentials.length;
  }

  /** Whether a response with this status is followed by another attempt, if there can be one. */
  isRetried(status: u32): bool {
    return this.several.statuses.includes(<i32>status);
  }

  begin(contextId: u32): void {
    this.dropPeek();
    this.contextId = contextId;
    this.count++;
    this.isDecided = false;
    const isChoice = this.canRepeat && this.targetsLeft > 0;
    this.startedAt = isChoice ? currentMilliseconds() : 0;
  }

  /** The next attempt is for the same target. */
  repeat(): void {
    this.tries++;
    this.turnKey();
  }

  /** The next attempt is for the same target with another key. */
  refuseKey(): void {
    this.refused++;
    this.turnKey();
  }

  /** The next attempt is for a target so many steps ahead. */
  advance(steps: i32): void {
    this.position += steps;
    this.tries = 1;
    this.refused = 0;
    this.takeTurn();
  }

  /** Copies the value of a header that is about to be taken out. */
  keep(name: Span, value: Span): void {
    if (value.length == 0) return;
    const header = new KeptHeader(name, this.kept);
    header.value.span(value);
    this.kept = header;
  }

  dropPeek(): void {
    const peek = this.peek;
    if (peek !== null) peek.release();
    this.peek = null;
  }

  release(): void {
    this.dropPeek();
    let header: KeptHeader | null = this.kept;
    while (header !== null) {
      header.value.release();
      header = header.next;
    }
    this.kept = null;
  }

  /** The target that comes first, then the others in their order. */
  private indexAt(position: i32): i32 {
    if (position == 0) return this.first;
    return position <= this.first ? position - 1 : position;
  }

  private turnKey(): void {
    const count = <u32>this.target.credentials.length;
    if (count > 1) this.key = (this.key + 1) % count;
  }

  private takeTurn(): void {
    const target = this.target;
    const count = <u32>target.credentials.length;
    this.key = count > 1 ? target.turn++ % count : 0;
  }
}

/** One of the targets that share the requests by weight. */
function chooseFirst(several: Several): i32 {
  if (several.totalWeight == 0) return 0;
  let rest = <i32>(nextRandom() % several.totalWeight);
  const weights = several.weights;
  for (let i = 0; i < weights.length; i++) {
    rest -= weights[i];
    if (rest < 0) return i;
  }
  return 0;
}

function nextRandom(): u32 {
  if (random == 0) {
    randomBytes(seed);
    random = load<u32>(seed) | 1;
  }
  random ^= random << 13;
  random ^= random >> 17;
  random ^= random << 5;
  return random;
}
