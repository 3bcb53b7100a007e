// What is measured of a target, in data that all workers share and that outlives a reload: a list of numbers for each target.
//
// Open requests count less as they age, by half every two minutes, and an end takes away what is left of its request. The sum is exact
// for requests that end, and those of a worker that was lost fade.
import { freeBlock } from "../memory/blocks";
import { NO_VERSION, setShared, takeShared } from "../host/shared-data";
import { numberAt, setNumberAt } from "../bytes/number-list";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";

/** Places of the numbers. Times are milliseconds since the epoch. */
const enum Place {
  /** When `Open` was right, in seconds. */
  OpenAt,
  Open,
  /** Until when requests avoid the target, because it has failed. */
  AvoidedUntil,
  /** The averages of complete responses, then those of streams. */
  Averages,
}

const enum Average {
  /** When they were updated. */
  At,
  /** Milliseconds to the first token of a stream, or to the end of a complete response, by the requests that were open. */
  First,
  /** Milliseconds of each token after it, by the requests that were open. */
  PerToken,
  /** Tokens of a response. */
  Tokens,
  /** The part of the input that was read from a cache. */
  Cached,
  Count,
}

const COUNT: u32 = Place.Averages + 2 * Average.Count;

/** What is left of an open request after a second. */
const DECAY: f64 = 0.9942404238;
/** After so many seconds nothing is left. */
const MAX_SECONDS: f64 = 4095;
/** What is left of lost requests, and rounding, must not decide between targets without a request. */
const NEGLIGIBLE: f64 = 0.01;
/** The least weight of a response in the averages. */
const MIN_WEIGHT: f64 = 0.125;
/** An average of this age counts nothing beside a new response. Milliseconds. */
const MEMORY: f64 = 30_000;
/** Averages of this age are not compared. Milliseconds. */
const COLD_AGE: f64 = 60_000;
/** Each failure means that another worker has succeeded. */
const MAX_TRIES: u32 = 100;

const PREFIX = constant("gateway_target");
const keyBytes = scratchBuffer();
const key = new Span(0, 0);
/** The list that was read last: a copy, which is kept until the next one is read. */
const list = new Span(0, 0);
let block: usize = 0;
const created = scratchBuffer();

/** What is known of a target when a request comes. */
export class Measured {
  /** Open requests. */
  open: f64 = 0;
  isAvoided: bool = false;
  /** Whether its averages are old, or there are none. */
  isCold: bool = false;
  first: f64 = 0;
  perToken: f64 = 0;
  tokens: f64 = 0;
  cached: f64 = 0;
  /** `open` by the weight of the target. */
  load: f64 = 0;
}

/** What an attempt has shown; a number below 0 is not known. */
export class Sample {
  isStream: bool = false;
  first: f64 = -1;
  /** Whether `first` has taken longer, and nobody has waited for it. */
  isAtLeast: bool = false;
  perToken: f64 = -1;
  tokens: f64 = -1;
  cached: f64 = -1;
  /** How long the target is avoided. Milliseconds. */
  pause: f64 = 0;
}

/** Returns what is known of the target with this place. */
export function measuredOf(place: u64, isStream: bool, now: f64): Measured {
  take(place);
  const measured = new Measured();
  const averages = averagesOf(isStream);
  const at = numberAt(list, averages + Average.At);
  measured.open = openAt(secondsOf(now));
  measured.isAvoided = numberAt(list, Place.AvoidedUntil) > now;
  measured.isCold = at == 0 || now - at > COLD_AGE;
  measured.first = numberAt(list, averages + Average.First);
  measured.perToken = numberAt(list, averages + Average.PerToken);
  measured.tokens = numberAt(list, averages + Average.Tokens);
  measured.cached = numberAt(list, averages + Average.Cached);
  return measured;
}

/** An attempt at the target begins. Returns how many are open with it. */
export function addOpen(place: u64, now: f64): f64 {
  change(place, now, 1, null);
  return max(numberAt(list, Place.Open), 1);
}

/** An attempt that began at `startedAt` has ended. */
export function addEnd(place: u64, startedAt: f64, now: f64, sample: Sample): void {
  change(place, now, -decayOf(secondsOf(now) - secondsOf(startedAt)), sample);
}

function change(place: u64, now: f64, open: f64, sample: Sample | null): void {
  const second = secondsOf(now);
  for (let i: u32 = 0; i < MAX_TRIES; i++) {
    const version = take(place);
    if (version == NO_VERSION) create();
    setNumberAt(list, Place.Open, max(openAt(second) + open, 0));
    setNumberAt(list, Place.OpenAt, second);
    if (sample !== null) addSample(sample, now);
    if (setShared(key, list, version)) return;
  }
}

function addSample(sample: Sample, now: f64): void {
  if (sample.pause > 0) setNumberAt(list, Place.AvoidedUntil, now + sample.pause);
  const averages = averagesOf(sample.isStream);
  if (sample.isAtLeast && sample.first <= numberAt(list, averages + Average.First)) return;
  const at = numberAt(list, averages + Average.At);
  const weight = at == 0 ? 1 : min(max((now - at) / MEMORY, MIN_WEIGHT), 1);
  const isKnown = sample.first >= 0;
  if (isKnown) setNumberAt(list, averages + Average.At, now);
  average(averages + Average.First, sample.first, weight);
  average(averages + Average.PerToken, sample.perToken, weight);
  average(averages + Average.Tokens, sample.tokens, weight);
  average(averages + Average.Cached, sample.cached, weight);
}

function average(index: u32, value: f64, weight: f64): void {
  const before = numberAt(list, index);
  if (value >= 0) setNumberAt(list, index, before + (value - before) * weight);
}

function averagesOf(isStream: bool): u32 {
  return Place.Averages + u32(isStream) * Average.Count;
}

/** Returns the open requests of the list at a second. */
function openAt(second: f64): f64 {
  const open = numberAt(list, Place.Open) * decayOf(second - numberAt(list, Place.OpenAt));
  return open < NEGLIGIBLE ? 0 : open;
}

/** Returns what is left of an open request after whole seconds: the product for two times is exactly that for their sum. */
function decayOf(seconds: f64): f64 {
  let rest = <u32>min(max(seconds, 0), MAX_SECONDS);
  let left: f64 = 1;
  for (let factor = DECAY; rest > 0; rest >>= 1) {
    if ((rest & 1) != 0) left *= factor;
    factor *= factor;
  }
  return left;
}

function secondsOf(now: f64): f64 {
  return Math.floor(now / 1000);
}

/** Reads the list of a target. Returns its version. */
function take(place: u64): u32 {
  keyBytes.clear();
  keyBytes.span(PREFIX);
  keyBytes.long(place);
  freeBlock(block);
  const version = takeShared(keyBytes.view(key), list);
  block = list.pointer;
  return version;
}

/** Makes the list of a target that has none. */
function create(): void {
  created.clear();
  for (let i: u32 = 0; i < COUNT; i++) created.long(0);
  created.view(list);
}
