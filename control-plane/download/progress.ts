// Progress of a download on standard error: one changing line on a terminal, a few lines elsewhere.

export interface Progress {
  /** Prints one line. */
  line: (text: string) => void;
  /** Reports how much of `total` bytes is there. */
  bytes: (what: string, done: number, total: number) => void;
}

const MB = 1_000_000;
const EVERY_MS = 200;
/** Where there is no terminal: percent from one line to the next. */
const STEP = 25;

/** @param stream standard error, or what a test reads */
export function progressOn(
  stream: Pick<NodeJS.WriteStream, "write"> & { isTTY?: boolean },
): Progress {
  let shownAt = -Infinity;
  let step = -1;
  const ofTerminal = (text: string, isLast: boolean) => {
    if (!isLast && performance.now() - shownAt < EVERY_MS) return;
    shownAt = isLast ? -Infinity : performance.now();
    stream.write(`\r\x1b[K· ${text}${isLast ? "\n" : ""}`);
  };
  const ofLog = (text: string, percent: number) => {
    const now = Math.floor(percent / STEP);
    if (now === step) return;
    step = percent === 100 ? -1 : now;
    stream.write(`· ${text}\n`);
  };
  return {
    line(text) {
      stream.write(`· ${text}\n`);
    },
    bytes(what, done, total) {
      const percent = Math.floor((done / total) * 100);
      const [there, all] = [done, total].map((size) => String(Math.round(size / MB)));
      const text = `${what}: ${there ?? ""} of ${all ?? ""} MB (${String(percent)} %)`;
      if (stream.isTTY === true) ofTerminal(text, done === total);
      else ofLog(text, percent);
    },
  };
}
