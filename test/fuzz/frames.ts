// Frames of a binary stream as lines, so that an input stays a readable file: `event <type> <payload>`, `exception <type>
// <payload>`, `error <code> <message>`; anything else is sent as it is, which is no frame.
import { errorFrame, eventFrame, exceptionFrame } from "../providers/event-stream.ts";

export function framesOf(lines: string): Buffer {
  return Buffer.concat(lines.split("\n").map(frameOf));
}

function frameOf(line: string): Buffer {
  const [, kind, type = "", payload = ""] = /^(\w+) (\S+) (.*)$/.exec(line) ?? [];
  if (kind === "event") return eventFrame(type, payload);
  if (kind === "exception") return exceptionFrame(type, payload);
  return kind === "error" ? errorFrame(type, payload) : Buffer.from(line);
}
