// Fits a chat completions body to what the target's model supports.
import {
  CHOICE_ANY,
  CHOICE_NAMED,
  CHOICE_UNSET,
  EFFORT_UNSET,
} from "../../../../hub/request/request";
import { effortOf } from "../../../../hub/request/request-effort";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";
import { NO_NEUTRAL } from "../../../limit-edits";
import { OpenaiLimitEdits } from "../../limit-edits";
import { limitMessages } from "../../limit-message-edits";
import { foldSystem } from "./edit-system";
import { limitToolMessages } from "./limit-tool-messages";
import { request as members } from "../members";

const MESSAGES = constant("messages");
const MAX_TOKENS = constant("max_tokens");
const MAX_COMPLETION_TOKENS = constant("max_completion_tokens");
const PRESENCE_PENALTY = constant("presence_penalty");
const FREQUENCY_PENALTY = constant("frequency_penalty");
const STOP = constant("stop");
const USER = constant("user");
const REASONING_EFFORT = constant("reasoning_effort");
const TOOLS = constant("tools");
const TOOL_CHOICE = constant("tool_choice");
const RESPONSE_FORMAT = constant("response_format");
const JSON_SCHEMA = constant("json_schema");
const SCHEMA = constant("schema");
const TYPE = constant("type");
const FUNCTION = constant("function");
const REQUIRED = constant("required");

const NO_EFFORT_MEMBER = constant('"reasoning_effort":"none",');
const JSON_OBJECT = constant('{"type":"json_object"}');
const NOTHING = constant("");

export class OpenaiChatLimitEdits extends OpenaiLimitEdits {
  private hasTools: bool = false;

  constructor() {
    super(members);
  }

  protected plan(): void {
    const tape = this.tape;
    const node = tape.member(0, REASONING_EFFORT);
    const tools = tape.member(0, TOOLS);
    this.hasTools = tape.isArray(tools) && !tape.isEmpty(tools);
    const wanted = effortOf(tape, node);
    // An unknown word may be an effort of the model's own.
    const isReadable = wanted != EFFORT_UNSET || !tape.isPresent(node);
    this.planEffort(wanted, isReadable && this.hasTools, REASONING_EFFORT);
    if (this.efforts.isForced && node == NO_NODE)
      this.edits.insert(tape.start(0) + 1, NO_EFFORT_MEMBER);
  }

  protected schemaOf(): u32 {
    const tape = this.tape;
    const format = tape.member(0, RESPONSE_FORMAT);
    if (!tape.equals(tape.member(format, TYPE), JSON_SCHEMA)) return NO_NODE;
    const schema = tape.member(tape.member(format, JSON_SCHEMA), SCHEMA);
    return tape.isObject(schema) ? schema : NO_NODE;
  }

  protected isDropped(key: u32): bool {
    const tape = this.tape;
    const limits = this.limits;
    if (!limits.takesTemperature) {
      if (this.drops(key, PRESENCE_PENALTY, 0) || this.drops(key, FREQUENCY_PENALTY, 0))
        return true;
    }
    if (!limits.takesStop && tape.equals(key, STOP)) {
      const isEmpty = tape.isArray(key + 1) && tape.isEmpty(key + 1);
      return isEmpty || this.drops(key, STOP, NO_NEUTRAL);
    }
    if (!limits.takesUser && this.drops(key, USER, NO_NEUTRAL)) return true;
    if (this.hasNoEffort && tape.equals(key, REASONING_EFFORT)) return true;
    // The member's other name takes precedence if the client sends both.
    const other = this.otherTokens(key);
    return other.length > 0 && tape.member(0, other) != NO_NODE;
  }

  /** Returns the name that a number of tokens must have instead; empty if it keeps its own. */
  private otherTokens(key: u32): Span {
    const tape = this.tape;
    const limits = this.limits;
    if (limits.usesMaxCompletionTokens && tape.equals(key, MAX_TOKENS))
      return MAX_COMPLETION_TOKENS;
    if (!limits.takesMaxCompletionTokens && tape.equals(key, MAX_COMPLETION_TOKENS))
      return MAX_TOKENS;
    return NOTHING;
  }

  protected change(key: u32): bool {
    const tape = this.tape;
    const value = key + 1;
    if (tape.equals(key, MAX_TOKENS)) this.lowerTokens(key, MAX_TOKENS);
    else if (tape.equals(key, MAX_COMPLETION_TOKENS)) this.lowerTokens(key, MAX_COMPLETION_TOKENS);
    else if (this.changesEffort && tape.equals(key, REASONING_EFFORT)) this.replaceEffort(value);
    else if (this.hasTools && tape.equals(key, TOOL_CHOICE)) this.limitChoice(value);
    else if (this.schema != NO_NODE && tape.equals(key, RESPONSE_FORMAT)) {
      this.replace(value, JSON_OBJECT);
      this.report.dropForModel(RESPONSE_FORMAT);
    }
    const other = this.otherTokens(key);
    if (other.length > 0) this.edits.replace(tape.start(key), tape.end(key), other);
    return false;
  }

  protected forcedChoice(tape: Tape, node: u32): i32 {
    if (tape.equals(node, REQUIRED)) return CHOICE_ANY;
    return tape.equals(tape.member(node, TYPE), FUNCTION) ? CHOICE_NAMED : CHOICE_UNSET;
  }

  protected finish(systemText: Span): Span {
    const limits = this.limits;
    const list = this.tape.member(0, MESSAGES);
    const isAnywhere = limits.takesSystemRole && limits.takesLaterSystem;
    // If system text moves, its roles change with it.
    const renames = isAnywhere && !limits.takesDeveloperRole;
    limitMessages(this.tape, list, renames, limits, this.edits, this.report);
    limitToolMessages(this.tape, list, limits, this.edits);
    if (isAnywhere) return systemText;
    const keepsFirst = limits.takesSystemRole;
    foldSystem(this.tape, systemText, keepsFirst, limits.takesDeveloperRole, this.edits);
    return NOTHING;
  }
}
