// The head of a request, read from the host all at once.
//
// One header costs two crossings of the host boundary, its own and the one back for a block: about 10,000 instructions
// in Envoy, and 3,000 when it is absent. All of them together cost 12,000 (callgrind, case a16 of bench/).
import { HEADER_API_KEY, HEADER_HINT, HEADER_STREAM_CLUSTER } from "../../contract/words";
import { constant, sameBytes, Span } from "../text/bytes";
import { REQUEST_HEADERS, takeHeaders } from "./host";

/** A header that is looked for, and its value in the head that was read last. */
class Wanted {
  name: Span;
  value: Span = new Span(0, 0);
  constructor(name: string) {
    this.name = constant(name);
  }
}

const allWanted: Wanted[] = [];
/** Bit n is set when a wanted name has n bytes: most other headers are passed over by that alone. */
let wantedLengths: u32 = 0;

/** Values in the head that was read last, empty where the header is absent. Valid until the next `readHead`. */
export const PATH = wanted(":path");
export const METHOD = wanted(":method");
export const REQUEST_ID = wanted("x-request-id");
export const HINT = wanted(HEADER_HINT);
export const STREAM_CLUSTER = wanted(HEADER_STREAM_CLUSTER);
export const ANTHROPIC_VERSION = wanted("anthropic-version");
export const AUTHORIZATION = wanted("authorization");
export const X_API_KEY = wanted("x-api-key");
export const GATEWAY_KEY = wanted(HEADER_API_KEY);

function wanted(name: string): Span {
  const header = new Wanted(name);
  allWanted.push(header);
  wantedLengths |= 1 << name.length;
  return header.value;
}

const block = new Span(0, 0);

/** Reads the head of the current request. The head before it is gone, and its values with it. */
export function readHead(): void {
  for (let i = 0; i < allWanted.length; i++) unchecked(allWanted[i]).value.length = 0;
  if (block.pointer != 0) heap.free(block.pointer);
  takeHeaders(REQUEST_HEADERS, block);
  // Count, sizes of each name and value, then both with a NUL behind (specification, "Serialized map").
  const count = <usize>(block.length < 4 ? 0 : load<u32>(block.pointer));
  let text = block.pointer + 4 + count * 8;
  for (let i: usize = 0; i < count; i++) {
    const nameLength = load<u32>(block.pointer + i * 8, 4);
    const valueLength = load<u32>(block.pointer + i * 8, 8);
    if (nameLength < 32 && (wantedLengths & (1 << nameLength)) != 0)
      keep(text, nameLength, valueLength);
    text += nameLength + valueLength + 2;
  }
}

function keep(name: usize, nameLength: u32, valueLength: u32): void {
  for (let i = 0; i < allWanted.length; i++) {
    const header = unchecked(allWanted[i]);
    if (!sameBytes(name, nameLength, header.name.pointer, header.name.length)) continue;
    header.value.pointer = name + nameLength + 1;
    header.value.length = valueLength;
  }
}
