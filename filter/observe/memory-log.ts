// Reports in Envoy's log that memory was refused: one line now and then, with the number of requests and responses.
import { refusals } from "../memory/memory-budget";
import { currentSeconds, logWarning } from "../host/host";

/** At least between two lines. */
const SECONDS: i64 = 10;

let reported: u32 = 0;
let lastLine: i64 = 0;

/** Writes a line if memory was refused since the last one. */
export function reportRefusals(): void {
  if (refusals == reported) return;
  const now = currentSeconds();
  if (now - lastLine < SECONDS) return;
  lastLine = now;
  const count = (refusals - reported).toString();
  reported = refusals;
  logWarning(
    "gateway: the filter of this worker is out of memory; requests refused or responses not read whole: " +
      count +
      " (docs/overload.md)",
  );
}
