// When a rate limit is whole again.
// @see https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers
import { ByteBuffer } from "../../bytes/text/bytes";

/** `1h2m3s`, as OpenAI writes it. */
export function writeReset(seconds: u32, out: ByteBuffer): void {
  if (seconds >= 3600) {
    out.integer(seconds / 3600);
    out.byte(0x68);
  }
  if (seconds >= 60) {
    out.integer((seconds % 3600) / 60);
    out.byte(0x6d);
  }
  out.integer(seconds % 60);
  out.byte(0x73);
}
