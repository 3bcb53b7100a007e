// Random values of the host.
import { randomBytes } from "./host";
import { constant, Span } from "../bytes/text/bytes";

const HEX = constant("0123456789abcdef");
const HYPHEN: u32 = 0x2d;
const bytes = memory.data(16);
const uuid = new Span(memory.data(64), 36);

export function randomWord(): u32 {
  randomBytes(bytes);
  return load<u32>(bytes);
}

/** Returns a random UUID (RFC 9562, version 4), until the next call. */
export function randomUuid(): Span {
  randomBytes(bytes);
  store<u8>(bytes, (load<u8>(bytes, 6) & 0x0f) | 0x40, 6);
  store<u8>(bytes, (load<u8>(bytes, 8) & 0x3f) | 0x80, 8);
  let out = uuid.pointer;
  for (let i: usize = 0; i < 16; i++) {
    if (i == 4 || i == 6 || i == 8 || i == 10) store<u8>(out++, HYPHEN);
    const byte = <u32>load<u8>(bytes + i);
    store<u8>(out++, load<u8>(HEX.pointer + (byte >> 4)));
    store<u8>(out++, load<u8>(HEX.pointer + (byte & 15)));
  }
  return uuid;
}
