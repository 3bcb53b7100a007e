// What OpenAI's two APIs have in common: errors, the list of models, rate-limit headers.
import { Fault } from "../../hub/faults/fault";
import { escapeText } from "../../bytes/json/text";
import { startsWith } from "../../bytes/text/at";
import { ByteBuffer, constant } from "../../bytes/text/bytes";
import { ClientDialect } from "../client-dialect";
import { adaptFault, writeOpenaiFault } from "./write-fault";

/** Bytes. */
const MAX_END_MARK: u32 = 16;

export abstract class OpenaiDialect extends ClientDialect {
  /** Responses have none, but some providers send it. */
  isEndMark(pointer: usize, length: u32): bool {
    // Some providers send a space or two after it.
    return length < MAX_END_MARK && startsWith(pointer, length, constant("[DONE]"));
  }

  adaptFault(fault: Fault): void {
    adaptFault(fault);
  }

  writeFault(fault: Fault, _requestId: ByteBuffer, out: ByteBuffer): void {
    writeOpenaiFault(fault, out);
  }

  /** @see https://platform.openai.com/docs/api-reference/models/list */
  writeModels(ids: string[], owners: string[], out: ByteBuffer): void {
    out.text('{"object":"list","data":[');
    for (let i = 0; i < ids.length; i++) {
      if (i > 0) out.text(",");
      this.writeModel(ids[i], owners[i], out);
    }
    out.text("]}");
  }

  writeModel(id: string, owner: string, out: ByteBuffer): void {
    out.text('{"id":"');
    escapeText(id, out);
    out.text('","object":"model","created":0,"owned_by":"');
    escapeText(owner, out);
    out.text('"}');
  }

  /**
   * `1h2m3s`, as OpenAI writes it.
   * @see https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers
   */
  writeReset(_now: u64, wait: u32, out: ByteBuffer): void {
    if (wait >= 3600) {
      out.integer(wait / 3600);
      out.byte(0x68);
    }
    if (wait >= 60) {
      out.integer((wait % 3600) / 60);
      out.byte(0x6d);
    }
    out.integer(wait % 60);
    out.byte(0x73);
  }
}
