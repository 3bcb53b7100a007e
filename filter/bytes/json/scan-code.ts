// Results of a scan.

export const SCAN_OK: i32 = 0;
export const SCAN_EMPTY: i32 = 1;
export const SCAN_SYNTAX: i32 = 2;
export const SCAN_END: i32 = 3;
export const SCAN_DEPTH: i32 = 4;
export const SCAN_SIZE: i32 = 5;
export const SCAN_UTF8: i32 = 6;
export const SCAN_ESCAPE: i32 = 7;
export const SCAN_CONTROL: i32 = 8;
/** The text may be valid: the VM has no memory for its tape. */
export const SCAN_MEMORY: i32 = 9;

/** Returns what a SCAN_ code means, for error messages. */
export function scanMessage(code: i32): string {
  if (code == SCAN_EMPTY) return "it is empty";
  if (code == SCAN_END) return "it ends too early";
  if (code == SCAN_DEPTH) return "it is nested deeper than 256 levels";
  if (code == SCAN_SIZE) return "it has more than 4000000 values";
  if (code == SCAN_UTF8) return "it is not valid UTF-8";
  if (code == SCAN_ESCAPE) return "an escape in a string is not valid";
  if (code == SCAN_MEMORY) return "the gateway has no memory left for it";
  if (code == SCAN_CONTROL) return "a string holds an unescaped control character";
  return "a character stands where JSON does not allow it";
}
