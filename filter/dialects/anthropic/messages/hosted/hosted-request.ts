// One request for Claude at a cloud: which betas of the client's header it is sent with, and what its body must have. Made for each
// body and for each head, from the client's header.
import { RequestHost } from "../../../../hub/request/request-host";
import { RequestReport } from "../../../../hub/request/request-report";
import { byteAt, isDigit, isLetter } from "../../../../bytes/text/at";
import { encodeBase64 } from "../../../../bytes/text/base64";
import { ByteBuffer, constant, sameSpan, scratchBuffer, Span } from "../../../../bytes/text/bytes";
import { HostedClaude } from "./hosted-claude";

const COMMA: u32 = 0x2c;
const QUOTE: u32 = 0x22;
/** A longer name is not that of a beta. Bytes. */
const MAX_BETA: u32 = 64;

/** @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html */
const WRAP_OPEN = constant('{"input":{"invokeModel":{"body":"');

const name = scratchBuffer();
const nameSpan = new Span(0, 0);

export class HostedRequest extends RequestHost {
  /** The betas that the cloud supports, each once, in the client's order. */
  private betas: Span[] = [];

  constructor(
    public cloud: HostedClaude,
    /** The client's header `anthropic-beta`. */
    private header: ByteBuffer,
    /** Whether the request only counts tokens. */
    private isCounting: bool,
  ) {
    super();
  }

  /** Returns whether the body keeps the model. */
  get keepsModel(): bool {
    return this.isCounting && this.cloud.hasCountModel;
  }

  /** Returns whether the body goes into another request, which `wrap` writes. */
  get isWrapped(): bool {
    return this.isCounting && this.cloud.wrapsCount;
  }

  /** Appends the cloud's request that counts the tokens of a body. */
  wrap(body: ByteBuffer, out: ByteBuffer): void {
    out.span(WRAP_OPEN);
    encodeBase64(body.pointer, body.length, out);
    out.text('"}}}');
  }

  /** Reads the client's betas. @param report lists those that the cloud does not support; null for nowhere */
  readBetas(report: RequestReport | null): void {
    const header = this.header;
    let from: u32 = 0;
    for (let at: u32 = 0; at <= header.length; at++) {
      if (at < header.length && byteAt(header.pointer, at) != COMMA) continue;
      this.readBeta(from, at, report);
      from = at + 1;
    }
  }

  private readBeta(from: u32, to: u32, report: RequestReport | null): void {
    const header = this.header.pointer;
    while (from < to && byteAt(header, from) <= 0x20) from++;
    while (to > from && byteAt(header, to - 1) <= 0x20) to--;
    const pointer = header + from;
    const length = to - from;
    const cloud = this.cloud;
    if (length == 0 || cloud.isNeedless(pointer, length)) return;
    if (this.isCounting && cloud.isNotCounted(pointer, length)) return;
    const beta = cloud.beta(pointer, length);
    if (beta !== null) this.add(beta);
    else if (report !== null) report.drop(listedName(pointer, min(length, MAX_BETA)));
  }

  /** Adds the beta that stands for `eager_input_streaming`. Returns false if there is none. */
  addEagerToolBeta(): bool {
    const beta = this.cloud.eagerToolBeta;
    if (beta.length == 0) return false;
    this.add(beta);
    return true;
  }

  private add(beta: Span): void {
    for (let i = 0; i < this.betas.length; i++) if (sameSpan(this.betas[i], beta)) return;
    this.betas.push(beta);
  }

  /** Appends the value of the header `anthropic-beta`; nothing if the request has none. */
  writeHeader(out: ByteBuffer): void {
    if (!this.cloud.hasBetaMember) this.writeBetas(false, out);
  }

  /** Appends the members that replace the model, without a comma after them. */
  writeMembers(out: ByteBuffer): void {
    out.span(this.cloud.version);
    if (!this.cloud.hasBetaMember || this.betas.length == 0) return;
    out.text(',"anthropic_beta":[');
    this.writeBetas(true, out);
    out.byte(0x5d);
  }

  private writeBetas(isQuoted: bool, out: ByteBuffer): void {
    for (let i = 0; i < this.betas.length; i++) {
      if (i > 0) out.byte(COMMA);
      if (isQuoted) out.byte(QUOTE);
      out.span(this.betas[i]);
      if (isQuoted) out.byte(QUOTE);
    }
  }
}

/** Returns how a beta is listed in `x-gateway-dropped`: anything but its usual characters becomes a question mark. */
function listedName(pointer: usize, length: u32): Span {
  name.clear();
  name.text("anthropic-beta=");
  for (let i: u32 = 0; i < length; i++) {
    const byte = byteAt(pointer, i);
    const isSign = byte == 0x2d || byte == 0x5f || byte == 0x2e;
    name.byte(isLetter(byte) || isDigit(byte) || isSign ? byte : 0x3f);
  }
  return name.view(nameSpan);
}

/** Returns how the target's cloud expects the request; null if the target is at no cloud. */
export function hostedRequest(report: RequestReport): HostedRequest | null {
  const host = report.host;
  return host instanceof HostedRequest ? <HostedRequest>host : null;
}
