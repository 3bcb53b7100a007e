// When the collector runs: after as many bytes of new objects as its last run has left, so that visiting those costs a new
// object the same however large the configuration is.

/** Bytes of new objects between two collections, at least. */
const LEAST: usize = 512 << 10;

let made: usize = 0;
let limit: usize = LEAST;

// @ts-ignore: decorator
@inline
export function countObject(bytes: usize): void {
  made += bytes;
}

/** Counts from zero again. `left`: bytes of the objects that a collection has not freed. */
export function startCounting(left: usize): void {
  made = 0;
  limit = max(left, LEAST);
}

export function isCollectionDue(): bool {
  return made >= limit;
}
