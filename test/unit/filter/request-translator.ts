// Drives the request translation that is compiled for the tests: JSON text in, JSON text and report out.
import { ENVELOPES } from "../../../contract/envelopes.ts";
import type { ModelLimits } from "../../../model/model-limits.ts";
import { startPart } from "./lab.ts";

export const CHAT = 0;
export const MESSAGES = 1;
export const RESPONSES = 2;
export const CONVERSE = 3;
export const GEMINI = 4;

/** What the configuration may say of the model, and `overrides.strict_translation`. */
export type Limits = ModelLimits & { strict?: boolean };

export interface Translation {
  /** The provider's body; empty when there is a fault. */
  body: string;
  fault: { status: number; member: string; message: string } | undefined;
  dropped: string[];
  droppedCount: number;
  isStreaming: boolean;
  wantsUsage: boolean;
  defaultedMaxTokens: number;
}

interface Exports {
  memory: WebAssembly.Memory;
  allocate(length: number): number;
  release(pointer: number): void;
  setLimits(...numbers: number[]): number;
  betaHeaderText(): number;
  setEnvelope(index: number, header: number, length: number): void;
  translate(...numbers: number[]): number;
  edit(...numbers: number[]): number;
  scanOnly(body: number, length: number): number;
  outputPointer(): number;
  outputLength(): number;
  droppedPointer(): number;
  droppedLength(): number;
  droppedCount(): number;
  reportFlags(): number;
  defaultedMaxTokens(): number;
  faultText(): number;
  echoText(): number;
  toolText(wire: number, length: number): number;
  textPointer(): number;
}

export interface Options {
  limits?: Limits;
  /** The inside of a JSON string. */
  prompt?: string;
  /** The name of a row in contract/envelopes.ts, and the client's header `anthropic-beta`. */
  envelope?: string;
  betas?: string;
}

export class RequestTranslator {
  readonly exports: Exports;

  private constructor(exports: Exports) {
    this.exports = exports;
  }

  static async create(): Promise<RequestTranslator> {
    return new RequestTranslator(await startPart("translate_request"));
  }

  /** Translates a body; throws when it is not JSON. `from` and `to`: CHAT, MESSAGES, RESPONSES; `to` also GEMINI. */
  translate(body: string, from: number, to: number, options: Options = {}): Translation {
    return this.run("translate", body, [from, to], options);
  }

  /** Applies a target's limits to a body of its own dialect. */
  edit(body: string, dialect: number, options: Options = {}): Translation {
    return this.run("edit", body, [dialect], options);
  }

  text(pointer: number, length: number): string {
    return new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, pointer, length));
  }

  /** The members that the response of the last translation repeats. */
  echo(): Record<string, unknown> {
    const length = this.exports.echoText();
    const members = this.text(this.exports.textPointer(), length);
    return JSON.parse(`{"":0${members}}`) as Record<string, unknown>;
  }

  /** The client's tool of the last translation by its wire name: `name|namespace|custom`; empty if it is the same. */
  clientTool(wire: string): string {
    const { pointer, length } = this.put(wire);
    const found = this.exports.toolText(pointer, length);
    this.exports.release(pointer);
    return this.text(this.exports.textPointer(), found);
  }

  /** The header `anthropic-beta` of the last request; undefined without one. */
  betaHeader(): string | undefined {
    const length = this.exports.betaHeaderText();
    return length === 0 ? undefined : this.text(this.exports.textPointer(), length);
  }

  /** A block of the module with these bytes; the caller releases it. */
  put(text: string): { pointer: number; length: number } {
    const bytes = new TextEncoder().encode(text);
    const pointer = this.exports.allocate(bytes.length);
    new Uint8Array(this.exports.memory.buffer).set(bytes, pointer);
    return { pointer, length: bytes.length };
  }

  /** The limits of the target as its configuration says them; throws when the filter does not understand them. */
  setLimits({ strict = false, stream_usage = true, ...limits }: Limits): void {
    const { pointer, length } = this.put(JSON.stringify(limits));
    const problem = this.exports.setLimits(pointer, length, Number(strict), Number(stream_usage));
    this.exports.release(pointer);
    if (problem === 0) throw new Error(`the filter does not understand ${JSON.stringify(limits)}`);
  }

  private setEnvelope(name: string, betas: string): void {
    const { pointer, length } = this.put(betas);
    this.exports.setEnvelope(
      ENVELOPES.findIndex((row) => row().name === name),
      pointer,
      length,
    );
    this.exports.release(pointer);
  }

  private run(
    call: "translate" | "edit",
    body: string,
    dialects: number[],
    options: Options,
  ): Translation {
    this.setLimits(options.limits ?? {});
    if (options.envelope !== undefined) this.setEnvelope(options.envelope, options.betas ?? "");
    const spans = [body, '"upstream-model"', options.prompt ?? ""].map((text) => this.put(text));
    const [text, model, prompt] = spans.map(({ pointer, length }) => [pointer, length]);
    const code = this.exports[call](
      ...(text ?? []),
      ...dialects,
      ...(model ?? []),
      ...(prompt ?? []),
    );
    for (const { pointer } of spans) this.exports.release(pointer);
    if (code === 2) throw new Error("the body is not JSON");
    return this.report();
  }

  private report(): Translation {
    const { exports } = this;
    const faultLength = exports.faultText();
    const [status, member, ...message] = this.text(exports.textPointer(), faultLength).split("|");
    const dropped = this.text(exports.droppedPointer(), exports.droppedLength());
    return {
      body: faultLength > 0 ? "" : this.text(exports.outputPointer(), exports.outputLength()),
      fault:
        faultLength > 0
          ? { status: Number(status), member: member ?? "", message: message.join("|") }
          : undefined,
      dropped: dropped === "" ? [] : dropped.split(","),
      droppedCount: exports.droppedCount(),
      isStreaming: (exports.reportFlags() & 1) !== 0,
      wantsUsage: (exports.reportFlags() & 2) !== 0,
      defaultedMaxTokens: exports.defaultedMaxTokens(),
    };
  }
}
