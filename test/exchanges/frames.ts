// Binary event streams (application/vnd.amazon.eventstream) in cases: one line of text for each frame.
import { chunkFrame, errorFrame, eventFrame, exceptionFrame } from "../providers/event-stream.ts";

/** Returns the frames of lines such as `event messageStart {"role":"assistant"}` (README.md). */
export function framesOf(file: string, text: string): Buffer {
  const lines = text.split("\n").filter((line) => line !== "");
  return Buffer.concat(lines.map((line) => frameOf(file, line)));
}

function frameOf(file: string, line: string): Buffer {
  const [, kind = "", rest = ""] = /^(\S+) ?(.*)$/.exec(line) ?? [];
  const [, name = "", payload = ""] = /^(\S+) ?(.*)$/.exec(rest) ?? [];
  switch (kind) {
    case "chunk":
      return chunkFrame(rest);
    case "event":
      return eventFrame(name, payload);
    case "exception":
      return exceptionFrame(name, payload);
    case "error":
      return errorFrame(name, payload);
    case "broken":
      return brokenFrame();
    case "half":
      return chunkFrame("{}").subarray(0, 40);
    default:
      throw new Error(`${file}: "${line}" is no frame`);
  }
}

/** A frame whose last checksum is wrong. */
function brokenFrame(): Buffer {
  const frame = chunkFrame('{"type":"ping"}');
  frame.writeUInt32BE(0, frame.length - 4);
  return frame;
}

/** Returns the offsets after each frame; the bytes that are left are no frame. */
export function frameEnds(body: Buffer): number[] {
  const ends: number[] = [];
  for (let at = 0; at + 16 <= body.length;) {
    const end = at + body.readUInt32BE(at);
    if (end > body.length) break;
    ends.push((at = end));
  }
  return ends;
}
