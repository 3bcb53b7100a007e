// How messages are sent to Claude at a cloud (contract/envelopes.ts): what replaces the model in the body, which betas and
// members the cloud accepts, and the path.
import {
  betaAliases,
  EnvelopeRow,
  ENVELOPES,
  needlessBetas,
} from "../../../../../contract/envelopes";
import { ByteBuffer, constant, sameBytes, Span } from "../../../../bytes/text/bytes";
import { percentEncode } from "../../../../bytes/text/url-value";

/** One for each cloud, made while the configuration is read. */
export class HostedClaude {
  /** The API in error messages. */
  api: string;
  hasStream: bool;
  hasBetaMember: bool;
  isEventStream: bool;
  wrapsCount: bool;
  /** The member of a count's response with the number of tokens; empty if the response has Anthropic's form. */
  countMember: Span;
  /** `"anthropic_version":"vertex-2023-10-16"` */
  version: Span;
  /** Empty for none. */
  eagerToolBeta: Span;
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

  /** Returns whether the name of a model replaces the client's in the path of a count, so that the body keeps it. */
  get hasCountModel(): bool {
    return this.countModel.length > 0;
  }

  /** Returns whether the cloud accepts a member that not every Claude supports. */
  accepts(member: Span): bool {
    return indexOf(this.members, member.pointer, member.length) >= 0;
  }

  /** Returns whether a beta is removed without being reported. */
  isNeedless(pointer: usize, length: u32): bool {
    return indexOf(this.needless, pointer, length) >= 0;
  }

  /** Returns whether a supported beta must not be in a request that counts tokens. */
  isNotCounted(pointer: usize, length: u32): bool {
    return indexOf(this.notCounted, pointer, length) >= 0;
  }

  /** Returns the beta by the cloud's name for it; null if the cloud does not support it. */
  beta(pointer: usize, length: u32): Span | null {
    const alias = indexOf(this.aliases, pointer, length);
    const found =
      alias < 0
        ? indexOf(this.allowed, pointer, length)
        : indexOf(this.allowed, this.meanings[alias].pointer, this.meanings[alias].length);
    return found < 0 ? null : this.allowed[found];
  }

  /** Appends the path; `before`: what is before the model, `model`: its name. */
  writePath(before: Span, model: Span, isStreaming: bool, out: ByteBuffer): void {
    this.writeModel(before, model, out);
    out.span(isStreaming ? this.streamMethod : this.method);
  }

  /** Appends the path of a request that counts tokens. */
  writeCountPath(before: Span, model: Span, out: ByteBuffer): void {
    this.writeModel(before, this.hasCountModel ? this.countModel : model, out);
    out.span(this.countMethod);
  }

  private writeModel(before: Span, model: Span, out: ByteBuffer): void {
    out.span(before);
    percentEncode(model.pointer, model.length, out, this.plainCharacters);
  }
}

function addAll(texts: string[], spans: Span[]): void {
  for (let i = 0; i < texts.length; i++) spans.push(constant(texts[i]));
}

function indexOf(names: Span[], pointer: usize, length: u32): i32 {
  for (let i = 0; i < names.length; i++) {
    if (sameBytes(names[i].pointer, names[i].length, pointer, length)) return i;
  }
  return -1;
}

/** Those that a target uses: a gateway without one makes none. */
const made: HostedClaude[] = [];
const names: string[] = [];

/** Returns the cloud by the name of its row, or null. */
export function hostedClaude(name: string): HostedClaude | null {
  const known = names.indexOf(name);
  if (known >= 0) return made[known];
  for (let i = 0; i < ENVELOPES.length; i++) {
    const row = ENVELOPES[i]();
    if (row.name != name) continue;
    const hosted = new HostedClaude(row);
    made.push(hosted);
    names.push(name);
    return hosted;
  }
  return null;
}
