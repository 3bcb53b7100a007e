// Fits a messages body to what the target's model supports, thinking excepted (limit-thinking.ts).
import { CHOICE_ANY, CHOICE_NAMED, CHOICE_UNSET } from "../../../../hub/request/request";
import { isUnsupportedChoice } from "../../../../hub/request/request-fitting";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";
import { NO_NEUTRAL } from "../../../limit-edits";
import { ListEdit } from "../../../list-edit";
import { HostedEdits } from "../hosted/edit";
import { ThinkingLimits } from "./limit-thinking";
import { request as members } from "../members";

const MAX_TOKENS = constant("max_tokens");
const STOP_SEQUENCES = constant("stop_sequences");
const OUTPUT_CONFIG = constant("output_config");
const OUTPUT_FORMAT = constant("output_format");
const FORMAT = constant("format");
const TOOL_CHOICE = constant("tool_choice");
const TYPE = constant("type");

const innerMembers = new ListEdit();

export class AnthropicMessagesLimitEdits extends ThinkingLimits {
  private hosted: HostedEdits = new HostedEdits();

  constructor() {
    super(members);
  }

  protected plan(): void {
    this.hosted.begin(this.tape, this.limits, this.edits, this.report);
    this.planThinking();
  }

  protected schemaOf(): u32 {
    const tape = this.tape;
    const config = tape.member(tape.member(0, OUTPUT_CONFIG), FORMAT);
    const format = tape.isPresent(config) ? config : tape.member(0, OUTPUT_FORMAT);
    const found = tape.member(format, constant("schema"));
    return tape.isObject(found) ? found : NO_NODE;
  }

  protected isDropped(key: u32): bool {
    const tape = this.tape;
    if (!this.limits.supportsStop && tape.equals(key, STOP_SEQUENCES))
      return tape.isEmpty(key + 1) || this.drops(key, STOP_SEQUENCES, NO_NEUTRAL);
    if (this.schema != NO_NODE && this.drops(key, OUTPUT_FORMAT, NO_NEUTRAL)) return true;
    return this.hosted.drops(key);
  }

  protected change(key: u32): bool {
    const tape = this.tape;
    const value = key + 1;
    this.hosted.change(key);
    if (tape.equals(key, MAX_TOKENS)) this.lowerTokens(key, MAX_TOKENS);
    else if (tape.equals(key, constant("thinking"))) return this.changeThinking(value);
    else if (tape.equals(key, OUTPUT_CONFIG)) return this.changeOutput(value);
    else if (tape.equals(key, TOOL_CHOICE)) this.limitChoice(value);
    return false;
  }

  /** Changes the effort of `output_config` to one that the model supports, and removes an unsupported format. */
  private changeOutput(object: u32): bool {
    const tape = this.tape;
    if (!tape.isObject(object)) return false;
    innerMembers.begin(tape, object);
    let kept: u32 = 0;
    const end = tape.next(object);
    for (let key = tape.first(object); key < end; key = tape.next(key + 1)) {
      let isRemoved = false;
      if (this.schema != NO_NODE && tape.equals(key, FORMAT)) {
        this.report.dropForModel(constant("output_config.format"));
        isRemoved = true;
      } else if (this.changesEffort && tape.equals(key, constant("effort"))) {
        isRemoved = !this.replaceEffort(key + 1);
      }
      if (!isRemoved) kept++;
      innerMembers.item(tape, key, isRemoved, this.edits);
    }
    if (!this.addsEffort) return kept == 0 && !tape.isEmpty(object);
    this.edits.append(constant('"effort":'));
    this.appendEffort();
    if (kept > 0) this.edits.append(constant(","));
    this.edits.insertAppended(tape.start(object) + 1);
    return false;
  }

  /** Makes a choice `auto`; whether calls may be parallel stays as it is. */
  private limitChoice(object: u32): void {
    const tape = this.tape;
    if (!isUnsupportedChoice(choiceOf(tape, object), this.limits)) return;
    innerMembers.begin(tape, object);
    const end = tape.next(object);
    for (let key = tape.first(object); key < end; key = tape.next(key + 1)) {
      if (tape.equals(key, TYPE)) this.replace(key + 1, constant('"auto"'));
      innerMembers.item(tape, key, tape.equals(key, constant("name")), this.edits);
    }
    this.report.dropForModel(TOOL_CHOICE);
  }

  protected finish(systemText: Span): Span {
    const tape = this.tape;
    const renamed = this.hosted.renamed;
    if (this.addsEffort && renamed != NO_NODE) {
      this.edits.append(constant(',"effort":'));
      this.appendEffort();
      this.edits.insertAppended(tape.outerEnd(renamed));
    } else if (this.addsEffort && !tape.isObject(tape.member(0, OUTPUT_CONFIG))) {
      this.edits.append(constant('"output_config":{"effort":'));
      this.appendEffort();
      this.edits.append(constant("},"));
      this.edits.insertAppended(tape.start(0) + 1);
    }
    if (!this.limits.supportsPrefill) this.endWithUser();
    this.hosted.finish();
    return systemText;
  }

  /** Appends a short user message for a model that does not continue its own last message. */
  private endWithUser(): void {
    const tape = this.tape;
    const list = tape.member(0, constant("messages"));
    if (!tape.isArray(list)) return;
    let last = NO_NODE;
    const end = tape.next(list);
    for (let message = tape.first(list); message < end; message = tape.next(message))
      last = message;
    if (!tape.equals(tape.member(last, constant("role")), constant("assistant"))) return;
    this.edits.insert(tape.end(last), constant(',{"role":"user","content":"Continue."}'));
    this.report.dropForModel(constant("prefill"));
  }
}

/** Returns the kind of a choice that forces a call; CHOICE_UNSET for any other. */
function choiceOf(tape: Tape, node: u32): i32 {
  const type = tape.member(node, TYPE);
  if (tape.equals(type, constant("any"))) return CHOICE_ANY;
  return tape.equals(type, constant("tool")) ? CHOICE_NAMED : CHOICE_UNSET;
}
