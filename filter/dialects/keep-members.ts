// Cuts a written request down to the members that an endpoint accepts.
import { scan, SCAN_OK } from "../bytes/json/scan";
import { scratchTape } from "../bytes/json/tape";
import { ByteBuffer, scratchBuffer, Span } from "../bytes/text/bytes";

const tape = scratchTape();
const kept = scratchBuffer();

/** Keeps those members of the object in `out`, in its order; what is not JSON stays as it is. */
export function keepMembers(out: ByteBuffer, names: Span[]): void {
  if (scan(tape, out.pointer, out.length) != SCAN_OK) return;
  kept.clear();
  kept.byte(0x7b);
  const end = tape.next(0);
  for (let key = tape.first(0); key < end; key = tape.next(key + 1)) {
    if (tape.indexIn(key, names) < 0) continue;
    if (kept.length > 1) kept.byte(0x2c);
    const from = tape.outerStart(key);
    kept.bytes(out.pointer + from, tape.outerEnd(key + 1) - from);
  }
  kept.byte(0x7d);
  tape.reset();
  out.clear();
  out.bytes(kept.pointer, kept.length);
}
