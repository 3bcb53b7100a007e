// A prompt: the client's request, and what the steps find out about it.
import { Fault, outOfMemory } from "../hub/faults/fault";
import { PromptConfig, PromptTarget } from "../config/prompt-target";
import { Conversation } from "../dialects/conversation";
import { Exchange } from "../exchange/exchange";
import { minify } from "../bytes/json/minify";
import { scan, SCAN_OK } from "../bytes/json/scan";
import { Tape } from "../bytes/json/tape";
import { ByteBuffer, sameBytes } from "../bytes/text/bytes";
import { StepOutcome } from "./outcome";

/** Parameters are held until the API is called; no API has more. */
const MAX_ARGUMENTS_BYTES: u32 = 256 << 10;

export class Prompt {
  /** The target whose API is called; null if the request goes to its model alone. */
  target: PromptTarget | null = null;
  /** The targets that extraction chooses from; empty if it is not needed. */
  candidates: PromptTarget[] = [];
  /** Whether the choice of the target is certain, so that extraction only finds its parameters. */
  isTargetCertain: bool = false;
  /** The extracted parameters as a JSON object without white space; empty if none were extracted. */
  argumentsJson: ByteBuffer = new ByteBuffer();
  arguments: Tape = new Tape();
  /** Status of the API's response; 0 until it has been called. */
  apiStatus: u32 = 0;
  /** Text of the gateway's response (the inside of a JSON string), or the API's text for the model (plain UTF-8). */
  text: ByteBuffer = new ByteBuffer();
  fault: Fault | null = null;

  constructor(
    public config: PromptConfig,
    public exchange: Exchange,
    /** Of the client's body, in each callback. */
    public tape: Tape,
  ) {
    this.useDefaultTarget();
  }

  /** Whether all steps run: on egress, the guard is the only one. */
  get hasAllSteps(): bool {
    return this.exchange.client.isIngress;
  }

  /** The time for the whole prompt. The model server calls targets for clients of ingress. */
  get timeoutMs(): u32 {
    const client = this.exchange.client;
    return client.isIngress || client.isModelServer
      ? this.config.timeoutMs
      : this.config.egressTimeoutMs;
  }

  /** Where the client's dialect holds the messages. */
  get conversation(): Conversation {
    return this.exchange.client.dialect.conversation;
  }

  /** Chooses the default target, or none if no target is the default. */
  useDefaultTarget(): void {
    const index = this.config.defaultTarget;
    this.target = index < 0 ? null : this.config.targets[index];
  }

  /** Returns the target that a string of `tape` names; null if there is none. */
  findTarget(tape: Tape, name: u32): PromptTarget | null {
    if (!tape.isString(name) || tape.isEscaped(name)) return null;
    const targets = this.config.targets;
    for (let i = 0; i < targets.length; i++) {
      const known = targets[i].name;
      if (sameBytes(known.pointer, known.length, tape.pointer(name), tape.size(name)))
        return targets[i];
    }
    return null;
  }

  /** Reads `argumentsJson`. False if it is too long or not a JSON object. */
  readArguments(): bool {
    const json = this.argumentsJson;
    // It becomes a part of an event of a stream, which is one line.
    minify(json);
    if (json.length > MAX_ARGUMENTS_BYTES) return false;
    return scan(this.arguments, json.pointer, json.length) == SCAN_OK && this.arguments.isObject(0);
  }

  /** The gateway responds with this text, the inside of a JSON string. */
  respond(pointer: usize, length: u32): StepOutcome {
    this.text.clear();
    this.text.bytes(pointer, length);
    return StepOutcome.Respond;
  }

  reject(fault: Fault): StepOutcome {
    this.fault = fault;
    return StepOutcome.Refuse;
  }

  rejectForMemory(): StepOutcome {
    return this.reject(outOfMemory("request"));
  }

  release(): void {
    this.text.release();
    this.argumentsJson.release();
    this.arguments.release();
  }
}
