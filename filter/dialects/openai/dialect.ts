// What OpenAI's two APIs have in common: credentials, errors, the list of models, rate-limit headers.
import { BEARER, CredentialKind } from "../../../contract/credentials";
import { Fault } from "../../hub/faults/fault";
import { startsWith } from "../../bytes/text/at";
import { ByteBuffer, constant, Span } from "../../bytes/text/bytes";
import { Dialect } from "../dialect";
import { adaptFault, writeOpenaiFault } from "./write-fault";
import { writeModel, writeModels } from "./write-models";
import { writeReset } from "./write-reset";

/** Bytes. */
const MAX_END_MARK: u32 = 16;

export abstract class OpenaiDialect extends Dialect {
  credentialKind(_key: Span): CredentialKind {
    return BEARER;
  }

  /** Responses have none, but some providers send it. */
  isEndMark(pointer: usize, length: u32): bool {
    // Some providers send a space or two behind it.
    return length < MAX_END_MARK && startsWith(pointer, length, constant("[DONE]"));
  }

  adaptFault(fault: Fault): void {
    adaptFault(fault);
  }

  writeFault(fault: Fault, _requestId: ByteBuffer, out: ByteBuffer): void {
    writeOpenaiFault(fault, out);
  }

  writeModel(id: string, owner: string, out: ByteBuffer): void {
    writeModel(id, owner, out);
  }

  writeModels(ids: string[], owners: string[], out: ByteBuffer): void {
    writeModels(ids, owners, out);
  }

  writeReset(_now: u64, wait: u32, out: ByteBuffer): void {
    writeReset(wait, out);
  }
}
