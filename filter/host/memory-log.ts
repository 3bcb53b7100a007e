// Says in the log that memory is used up: once in a while, with the number of those who felt it.
import { refusals } from "../memory/budget";
import { currentSeconds, logWarning } from "./host";

/** Between two lines. */
const SECONDS: i64 = 10;

let reported: u32 = 0;
let lastLine: i64 = 0;

/** Writes a line when there is something new to say. */
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
