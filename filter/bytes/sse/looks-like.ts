// Detects whether a body is JSON or an event stream by its first bytes: providers send a JSON body where a stream was
// requested, and the reverse.

export const LOOKS_OPEN: i32 = 0;
export const LOOKS_JSON: i32 = 1;
export const LOOKS_SSE: i32 = 2;

/** Returns a LOOKS_ value; LOOKS_OPEN while there is only white space. No line of an event stream begins with a bracket. */
export function looksLike(pointer: usize, length: u32): i32 {
  for (let i: u32 = 0; i < length; i++) {
    const c = <u32>load<u8>(pointer + i);
    if (c == 0x20 || c == 0x0a || c == 0x0d || c == 0x09) continue;
    // A BOM.
    if (c == 0xef || c == 0xbb || c == 0xbf) continue;
    return c == 0x7b || c == 0x5b ? LOOKS_JSON : LOOKS_SSE;
  }
  return LOOKS_OPEN;
}
