// How messages are sent to Claude at a cloud (contract/envelopes.ts): what replaces the model in the body, which betas and
// members the cloud accepts, and the path.
import { betaAliases, EnvelopeRow, ENVELOPES, needlessBetas } from "../../contract/envelopes";
import { byteAt, isDigit, isLetter } from "../bytes/text/at";
import { encodeBase64 } from "../bytes/text/base64";
import { ByteBuffer, constant, sameBytes, Span } from "../bytes/text/bytes";
import { percentEncode } from "../bytes/text/url-value";

const COMMA: u32 = 0x2c;
const QUOTE: u32 = 0x22;
/** A longer name is not that of a beta. Bytes. */
const MAX_BETA: u32 = 64;

/** What a dropped beta is called in `x-gateway-dropped`. */
const BETA_PATH = constant("anthropic-beta=");
/** @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html */
const WRAP_OPEN = constant('{"input":{"invokeModel":{"body":"');
const NOTHING = new Span(0, 0);

const betaSpan = new Span(0, 0);

/** One for each cloud, made while the configuration is read. */
export class Envelope {
  /** The API in error messages. */
  api: string;
  hasStream: bool;
  hasBetaMember: bool;
  isEventStream: bool;
  wrapsCount: bool;
  /** The member of a count's response with the number of tokens; empty if the response has Anthropic's form. */
  countMember: Span;
  /** `"anthropic_version":"vertex-2023-10-16"` */
  private version: Span;
  private plainCharacters: Span;
  private method: Span;
  private streamMethod: Span;
  private countMethod: Span;
  private countModel: Span;
  private allowed: Span[] = [];
  private needless: Span[] = [];
  private aliases: Span[] = [];
  private meanings: Span[] = [];
  private members: Span[] = [];
  private notCounted: Span[] = [];
  private eagerToolBeta: Span;
  /** The client's header `anthropic-beta` of the current request, and whether the request only counts tokens. */
  private header: Span = new Span(0, 0);
  private isCounting: bool = false;
  /** The accepted betas of the current request, comma separated. */
  private betas: ByteBuffer = new ByteBuffer();
  /** The others, as `x-gateway-dropped` lists them, comma separated. */
  droppedBetas: ByteBuffer = new ByteBuffer();

  constructor(row: EnvelopeRow) {
    this.api = row.title;
    this.hasStream = row.hasStream;
    this.hasBetaMember = row.hasBetaMember;
    this.isEventStream = row.isEventStream;
    this.wrapsCount = row.wrapsCount;
    this.countMember = constant(row.wrapsCount ? "inputTokens" : "");
    this.version = constant('"anthropic_version":"' + row.version + '"');
    this.plainCharacters = constant(row.plainCharacters);
    this.method = constant(row.method);
    this.streamMethod = constant(row.streamMethod);
    this.countMethod = constant(row.countMethod);
    this.countModel = constant(row.countModel);
    this.eagerToolBeta = constant(row.eagerToolBeta);
    addAll(row.betas, this.allowed);
    addAll(needlessBetas(), this.needless);
    addAll(row.members, this.members);
    addAll(row.betasNotCounted, this.notCounted);
    const aliases = betaAliases();
    for (let i = 0; i < aliases.length; i++) {
      this.aliases.push(constant(aliases[i].name));
      this.meanings.push(constant(aliases[i].meaning));
    }
  }

  /** Returns whether the cloud accepts a member that not every Claude supports. */
  accepts(member: Span): bool {
    return contains(this.members, member.pointer, member.length);
  }

  /** Appends the path; `before`: what is before the model, `model`: its name. */
  writePath(before: Span, model: Span, isStreaming: bool, out: ByteBuffer): void {
    out.span(before);
    percentEncode(model.pointer, model.length, out, this.plainCharacters);
    out.span(isStreaming ? this.streamMethod : this.method);
  }

  /** Appends the path of a request that counts tokens. */
  writeCountPath(before: Span, model: Span, out: ByteBuffer): void {
    const name = this.countModel.length > 0 ? this.countModel : model;
    out.span(before);
    percentEncode(name.pointer, name.length, out, this.plainCharacters);
    out.span(this.countMethod);
  }

  /** Starts a request. `header`: the client's `anthropic-beta`, in bytes that stay until its body is written. */
  begin(header: ByteBuffer, isCounting: bool): void {
    header.view(this.header);
    this.isCounting = isCounting;
  }

  /** Whether the body keeps the model. */
  get keepsModel(): bool {
    return this.isCounting && this.countModel.length > 0;
  }

  /** Whether the body goes into another request, which `wrap` writes. */
  get isWrapped(): bool {
    return this.isCounting && this.wrapsCount;
  }

  /** Appends the request of a cloud that counts the tokens of a body. */
  wrap(body: ByteBuffer, out: ByteBuffer): void {
    out.span(WRAP_OPEN);
    encodeBase64(body.pointer, body.length, out);
    out.text('"}}}');
  }

  /** Reads the client's header into `betaHeader`, `writeMembers` and `droppedBetas`. */
  readBetas(): void {
    const header = this.header;
    const end = header.length;
    this.betas.clear();
    this.droppedBetas.clear();
    let from: u32 = 0;
    for (let at: u32 = 0; at <= end; at++) {
      if (at < end && byteAt(header.pointer, at) != COMMA) continue;
      this.readBeta(header.pointer, from, at);
      from = at + 1;
    }
  }

  private readBeta(header: usize, from: u32, to: u32): void {
    while (from < to && byteAt(header, from) <= 0x20) from++;
    while (to > from && byteAt(header, to - 1) <= 0x20) to--;
    const pointer = header + from;
    const length = to - from;
    if (length == 0 || contains(this.needless, pointer, length)) return;
    const alias = indexOf(this.aliases, pointer, length);
    const name = alias < 0 ? NOTHING : this.meanings[alias];
    const accepted =
      alias < 0
        ? indexOf(this.allowed, pointer, length)
        : indexOf(this.allowed, name.pointer, name.length);
    if (this.isCounting && contains(this.notCounted, pointer, length)) return;
    if (accepted >= 0) this.addBeta(this.allowed[accepted]);
    else this.dropBeta(pointer, min(length, MAX_BETA));
  }

  /** Lists a beta; anything but its usual characters becomes a question mark. */
  private dropBeta(pointer: usize, length: u32): void {
    const out = this.droppedBetas;
    if (out.length > 0) out.byte(COMMA);
    out.span(BETA_PATH);
    for (let i: u32 = 0; i < length; i++) {
      const byte = byteAt(pointer, i);
      const isSign = byte == 0x2d || byte == 0x5f || byte == 0x2e;
      out.byte(isLetter(byte) || isDigit(byte) || isSign ? byte : 0x3f);
    }
  }

  /** Adds the beta that stands for `eager_input_streaming`. Returns false if there is none. */
  addEagerToolBeta(): bool {
    if (this.eagerToolBeta.length == 0) return false;
    this.addBeta(this.eagerToolBeta);
    return true;
  }

  private addBeta(name: Span): void {
    const betas = this.betas;
    let from: u32 = 0;
    for (let at: u32 = 0; at <= betas.length; at++) {
      if (at < betas.length && byteAt(betas.pointer, at) != COMMA) continue;
      if (sameBytes(betas.pointer + from, at - from, name.pointer, name.length)) return;
      from = at + 1;
    }
    if (betas.length > 0) betas.byte(COMMA);
    betas.span(name);
  }

  /** Returns the value of the header `anthropic-beta`, empty if there is none. Valid until the next request. */
  betaHeader(): Span {
    return this.hasBetaMember ? NOTHING : this.betas.view(betaSpan);
  }

  /** Appends the members that replace the model, without a comma behind them. */
  writeMembers(out: ByteBuffer): void {
    out.span(this.version);
    if (!this.hasBetaMember || this.betas.length == 0) return;
    out.text(',"anthropic_beta":[');
    out.byte(QUOTE);
    for (let at: u32 = 0; at < this.betas.length; at++) {
      const byte = byteAt(this.betas.pointer, at);
      if (byte == COMMA) out.byte(QUOTE);
      out.byte(byte);
      if (byte == COMMA) out.byte(QUOTE);
    }
    out.byte(QUOTE);
    out.byte(0x5d);
  }
}

function addAll(texts: string[], spans: Span[]): void {
  for (let i = 0; i < texts.length; i++) spans.push(constant(texts[i]));
}

function contains(names: Span[], pointer: usize, length: u32): bool {
  return indexOf(names, pointer, length) >= 0;
}

function indexOf(names: Span[], pointer: usize, length: u32): i32 {
  for (let i = 0; i < names.length; i++) {
    if (sameBytes(names[i].pointer, names[i].length, pointer, length)) return i;
  }
  return -1;
}

/** Those that a target uses: a gateway without one makes none. */
const made: Envelope[] = [];
const names: string[] = [];

/** Returns the envelope by its name in the filter's configuration, or null. */
export function envelopeByName(name: string): Envelope | null {
  const known = names.indexOf(name);
  if (known >= 0) return made[known];
  for (let i = 0; i < ENVELOPES.length; i++) {
    const row = ENVELOPES[i]();
    if (row.name != name) continue;
    const envelope = new Envelope(row);
    made.push(envelope);
    names.push(name);
    return envelope;
  }
  return null;
}
