// Fits a chat completions body to what the target's model supports.
import {
  CHOICE_ANY,
  CHOICE_NAMED,
  CHOICE_UNSET,
  EFFORT_NONE,
  EFFORT_UNSET,
} from "../../../../hub/request/request";
import { SWITCH_NONE } from "../../../../hub/request/request-report";
import { effortOf } from "../../../../hub/request/request-effort";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";
import { NO_NEUTRAL } from "../../../limit-edits";
import { OpenaiLimitEdits } from "../../limit-edits";
import { limitMessages } from "../../limit-message-edits";
import { foldSystem } from "./edit-system";
import { limitDocuments } from "./limit-documents";
import { limitToolMessages } from "./limit-tool-messages";
import { switchName, switchValue } from "./thinking-switch";
import { RANDOM_SEED, SEED } from "./write";
import { request as members } from "../members";

const MAX_TOKENS = constant("max_tokens");
const MAX_COMPLETION_TOKENS = constant("max_completion_tokens");
const STOP = constant("stop");
const REASONING_EFFORT = constant("reasoning_effort");
const RESPONSE_FORMAT = constant("response_format");
const JSON_SCHEMA = constant("json_schema");
const TYPE = constant("type");

const NOTHING = constant("");
const UNKNOWN: i32 = -1;
const QUOTE = constant('"');

export class OpenaiChatLimitEdits extends OpenaiLimitEdits {
  private hasTools: bool = false;
  /** Whether the request has the other name of a member, looked up once: a member may come many times. */
  private hasOtherTokens: i32 = UNKNOWN;
  private hasOtherSeed: i32 = UNKNOWN;
  /** The other name of the member that `isDropped` has looked at. */
  private other: Span = NOTHING;

  constructor() {
    super(members);
  }

  protected plan(): void {
    const tape = this.tape;
    this.hasOtherTokens = UNKNOWN;
    this.hasOtherSeed = UNKNOWN;
    const node = tape.member(0, REASONING_EFFORT);
    const tools = tape.member(0, constant("tools"));
    this.hasTools = tape.isArray(tools) && !tape.isEmpty(tools);
    const wanted = effortOf(tape, node);
    // An unknown word may be an effort of the model's own.
    const isReadable = wanted != EFFORT_UNSET || !tape.isPresent(node);
    const kind = this.limits.thinkingSwitch;
    if (kind != SWITCH_NONE && wanted != EFFORT_UNSET) this.addSwitch(kind, wanted);
    if (kind != SWITCH_NONE && wanted == EFFORT_NONE) {
      this.efforts.switchOff(this.limits);
      this.changesEffort = true;
      this.allowsSampling = this.efforts.allowsSampling;
      return;
    }
    this.planEffort(wanted, isReadable && this.hasTools, REASONING_EFFORT);
    if (this.efforts.isForced && node == NO_NODE)
      this.edits.insert(tape.start(0) + 1, constant('"reasoning_effort":"none",'));
  }

  /** Turns thinking on or off in the provider's own words, unless the client does. */
  private addSwitch(kind: i32, wanted: i32): void {
    const tape = this.tape;
    const name = switchName(kind);
    if (tape.member(0, name) != NO_NODE) return;
    const edits = this.edits;
    edits.append(QUOTE);
    edits.append(name);
    edits.append(constant('":'));
    edits.append(switchValue(kind, wanted != EFFORT_NONE));
    edits.append(constant(","));
    edits.insertAppended(tape.start(0) + 1);
  }

  protected schemaOf(): u32 {
    const tape = this.tape;
    const format = tape.member(0, RESPONSE_FORMAT);
    if (!tape.equals(tape.member(format, TYPE), JSON_SCHEMA)) return NO_NODE;
    const schema = tape.member(tape.member(format, JSON_SCHEMA), constant("schema"));
    return tape.isObject(schema) ? schema : NO_NODE;
  }

  protected isDropped(key: u32): bool {
    const tape = this.tape;
    const limits = this.limits;
    if (!limits.supportsTemperature) {
      if (
        this.drops(key, constant("presence_penalty"), 0) ||
        this.drops(key, constant("frequency_penalty"), 0)
      )
        return true;
    }
    if (!limits.supportsStop && tape.equals(key, STOP)) {
      const isEmpty = tape.isArray(key + 1) && tape.isEmpty(key + 1);
      return isEmpty || this.drops(key, STOP, NO_NEUTRAL);
    }
    if (!limits.supportsUser && this.drops(key, constant("user"), NO_NEUTRAL)) return true;
    if (this.hasNoEffort && tape.equals(key, REASONING_EFFORT)) return true;
    // The member's other name takes precedence if the client sends both.
    this.other = this.otherName(key);
    return this.other.length > 0 && this.hasOther(this.other);
  }

  private hasOther(name: Span): bool {
    const isSeed = name === RANDOM_SEED;
    let has = isSeed ? this.hasOtherSeed : this.hasOtherTokens;
    if (has != UNKNOWN) return has != 0;
    has = i32(this.tape.member(0, name) != NO_NODE);
    if (isSeed) this.hasOtherSeed = has;
    else this.hasOtherTokens = has;
    return has != 0;
  }

  /** Returns the name that a number of tokens or a seed must have instead; empty if it keeps its own. */
  private otherName(key: u32): Span {
    const tape = this.tape;
    const limits = this.limits;
    if (limits.usesMaxCompletionTokens && tape.equals(key, MAX_TOKENS))
      return MAX_COMPLETION_TOKENS;
    if (!limits.supportsMaxCompletionTokens && tape.equals(key, MAX_COMPLETION_TOKENS))
      return MAX_TOKENS;
    if (limits.usesRandomSeed && tape.equals(key, SEED)) return RANDOM_SEED;
    return NOTHING;
  }

  protected change(key: u32): bool {
    const tape = this.tape;
    const value = key + 1;
    if (tape.equals(key, MAX_TOKENS)) this.lowerTokens(key, MAX_TOKENS);
    else if (tape.equals(key, MAX_COMPLETION_TOKENS)) this.lowerTokens(key, MAX_COMPLETION_TOKENS);
    else if (this.changesEffort && tape.equals(key, REASONING_EFFORT)) this.replaceEffort(value);
    else if (this.hasTools && tape.equals(key, constant("tool_choice"))) this.limitChoice(value);
    else if (this.schema != NO_NODE && tape.equals(key, RESPONSE_FORMAT)) {
      this.replace(value, constant('{"type":"json_object"}'));
      this.report.dropForModel(RESPONSE_FORMAT);
    }
    const other = this.other;
    if (other.length > 0) this.edits.replace(tape.start(key), tape.end(key), other);
    return false;
  }

  protected forcedChoice(tape: Tape, node: u32): i32 {
    if (tape.equals(node, constant("required"))) return CHOICE_ANY;
    return tape.equals(tape.member(node, TYPE), constant("function")) ? CHOICE_NAMED : CHOICE_UNSET;
  }

  protected finish(systemText: Span): Span {
    const limits = this.limits;
    const list = this.tape.member(0, constant("messages"));
    const isAnywhere = limits.supportsSystemRole && limits.supportsLaterSystem;
    // If system text moves, its roles change with it.
    const renames = isAnywhere && !limits.supportsDeveloperRole;
    limitMessages(this.tape, list, renames, limits, this.edits, this.report);
    if (limits.usesDocumentUrl) limitDocuments(this.tape, list, this.edits);
    limitToolMessages(this.tape, list, this.hasTools, limits, this.edits);
    if (isAnywhere) return systemText;
    const keepsFirst = limits.supportsSystemRole;
    foldSystem(this.tape, systemText, keepsFirst, limits.supportsDeveloperRole, this.edits);
    return NOTHING;
  }
}
