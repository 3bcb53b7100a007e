// Reads `usageMetadata` into parts that do not overlap. In a stream each event has some members of it: the last value of
// each counts.
// @see https://ai.google.dev/api/generate-content#UsageMetadata
import { serviceOr } from "../../../../hub/response/service";
import {
  atLeastZero,
  possibleOr,
  readTokens,
  SERVICE_UNKNOWN,
  tokensOr,
  UNKNOWN_TOKENS,
  Usage,
} from "../../../../hub/response/usage";
import { Repeatable } from "../../../../bytes/repeat/repeatable";
import { KIND_NUMBER, NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";

const CANDIDATES = constant("candidatesTokenCount");
const THOUGHTS = constant("thoughtsTokenCount");

/** Slots of the counts that grow from event to event. */
const CANDIDATES_SLOT: i32 = 0;
const THOUGHTS_SLOT: i32 = 1;
const TOTAL_SLOT: i32 = 2;

export class UsageReader {
  private prompt: i64 = UNKNOWN_TOKENS;
  private cached: i64 = UNKNOWN_TOKENS;
  private toolUse: i64 = UNKNOWN_TOKENS;
  private candidates: i64 = UNKNOWN_TOKENS;
  private thoughts: i64 = UNKNOWN_TOKENS;

  /** Of duplicate names the last counts, as in `Tape.member`. */
  read(tape: Tape, node: u32, usage: Usage): void {
    let prompt = NO_NODE;
    let cached = NO_NODE;
    let toolUse = NO_NODE;
    let candidates = NO_NODE;
    let thoughts = NO_NODE;
    for (let key = tape.first(node), end = tape.next(node); key < end; key = tape.next(key + 1)) {
      if (tape.equals(key, constant("promptTokenCount"))) prompt = key + 1;
      else if (tape.equals(key, CANDIDATES)) candidates = key + 1;
      else if (tape.equals(key, THOUGHTS)) thoughts = key + 1;
      else if (tape.equals(key, constant("cachedContentTokenCount"))) cached = key + 1;
      else if (tape.equals(key, constant("toolUsePromptTokenCount"))) toolUse = key + 1;
    }
    this.prompt = tokensOr(tape, prompt, this.prompt);
    this.cached = tokensOr(tape, cached, this.cached);
    this.toolUse = tokensOr(tape, toolUse, this.toolUse);
    this.candidates = tokensOr(tape, candidates, this.candidates);
    this.thoughts = tokensOr(tape, thoughts, this.thoughts);
    if (this.prompt >= 0) {
      // The prompt's tokens include the cached ones.
      const read = min(max(this.cached, 0), this.prompt);
      if (this.cached >= 0) usage.cacheRead = read;
      usage.freshInput = this.prompt - read + max(this.toolUse, 0);
    }
    this.useOutput(usage);
    if (usage.readsRates) readRates(tape, node, usage);
  }

  /** Adds the counts that an event may change and still be given to `repeat`. */
  addCounts(tape: Tape, node: u32, values: Repeatable): void {
    addCount(tape, tape.member(node, CANDIDATES), CANDIDATES_SLOT, values);
    addCount(tape, tape.member(node, THOUGHTS), THOUGHTS_SLOT, values);
    addCount(tape, tape.member(node, constant("totalTokenCount")), TOTAL_SLOT, values);
  }

  /** Reads the counts of an event that differs from the last one in them. */
  repeat(values: Repeatable, usage: Usage): void {
    this.candidates = possibleOr(values.countOr(CANDIDATES_SLOT, this.candidates), this.candidates);
    this.thoughts = possibleOr(values.countOr(THOUGHTS_SLOT, this.thoughts), this.thoughts);
    this.useOutput(usage);
  }

  private useOutput(usage: Usage): void {
    if (this.thoughts >= 0) usage.reasoning = this.thoughts;
    // The candidates' tokens exclude the thoughts.
    if (this.candidates >= 0 || this.thoughts >= 0)
      usage.output = max(this.candidates, 0) + max(this.thoughts, 0);
  }
}

/** Returns how a request was processed. The Gemini API reports `serviceTier`, Vertex AI `trafficType` (google-genai 3.4.0). */
export function serviceIn(tape: Tape, node: u32, before: i32 = SERVICE_UNKNOWN): i32 {
  const tier = serviceOr(tape, tape.member(node, constant("serviceTier")), before);
  return serviceOr(tape, tape.member(node, constant("trafficType")), tier);
}

/** Reads what else decides the rates. */
function readRates(tape: Tape, node: u32, usage: Usage): void {
  usage.service = serviceIn(tape, node, usage.service);
  const cached = audioOf(tape, tape.member(node, constant("cacheTokensDetails")));
  if (cached >= 0) usage.audioCacheRead = cached;
  const prompt = audioOf(tape, tape.member(node, constant("promptTokensDetails")));
  if (prompt >= 0) usage.audioInput = atLeastZero(prompt - usage.audioCacheRead);
  const output = audioOf(tape, tape.member(node, constant("candidatesTokensDetails")));
  if (output >= 0) usage.audioOutput = output;
}

/** Returns the audio tokens in a list of tokens by modality; UNKNOWN_TOKENS without a list. */
function audioOf(tape: Tape, list: u32): i64 {
  if (!tape.isArray(list)) return UNKNOWN_TOKENS;
  const end = tape.next(list);
  for (let item = tape.first(list); item < end; item = tape.next(item)) {
    if (tape.equals(tape.member(item, constant("modality")), constant("AUDIO")))
      return atLeastZero(readTokens(tape, tape.member(item, constant("tokenCount"))));
  }
  return 0;
}

function addCount(tape: Tape, node: u32, slot: i32, values: Repeatable): void {
  if (tape.kind(node) == KIND_NUMBER) values.setCount(slot, tape.pointer(node), tape.size(node));
}
