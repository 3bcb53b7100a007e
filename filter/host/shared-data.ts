// Data that all workers share, and that outlives a reload: a value and its version for each key.
import * as abi from "./abi";
import { Span } from "../bytes/text/bytes";

/** Version of a key without a value. */
export const NO_VERSION: u32 = 0;

/** Where the host writes what it returns. */
const POINTER_CELL = memory.data(8);
const SIZE_CELL = memory.data(8);
const VERSION_CELL = memory.data(8);

/** Reads a copy of a value into `block`, whose `pointer` (0 without a value) the caller frees. Returns the version. */
export function takeShared(key: Span, block: Span): u32 {
  store<usize>(POINTER_CELL, 0);
  const status = abi.proxy_get_shared_data(
    key.pointer,
    key.length,
    POINTER_CELL,
    SIZE_CELL,
    VERSION_CELL,
  );
  block.pointer = status == 0 ? load<usize>(POINTER_CELL) : 0;
  block.length = block.pointer == 0 ? 0 : load<u32>(SIZE_CELL);
  return block.pointer == 0 ? NO_VERSION : load<u32>(VERSION_CELL);
}

/** Sets a value. Returns false if it no longer has that version; NO_VERSION sets it in any case. */
export function setShared(key: Span, block: Span, version: u32): bool {
  return (
    abi.proxy_set_shared_data(key.pointer, key.length, block.pointer, block.length, version) == 0
  );
}
