// Waits of the soak: for conditions, never for a time.
import { setTimeout as pause } from "node:timers/promises";

/** Only ends what hangs. */
const PATIENCE_MS = 180_000;

export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`not within three minutes: ${what}`);
    await pause(50);
  }
}
