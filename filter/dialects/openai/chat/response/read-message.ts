// Reads an assistant message of a chat provider, or a delta, which has the same members.
import {
  DROPPED_AUDIO,
  DROPPED_BLOCK,
  DROPPED_CITATION,
  DROPPED_SERVER_TOOL,
} from "../../../../hub/dropped";
import { Citation, ResponseSink } from "../../../../hub/response/events";
import {
  MEMBER_CONTENT,
  MEMBER_PARTS,
  MEMBER_REASONING,
  MEMBER_TAGS,
} from "../../../../hub/reasoning-carrier";
import { Translation } from "../../../../hub/response/translation";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";
import { TextRuns } from "../../../../bytes/text/text-runs";
import { ReasoningReader } from "./read-reasoning";
import { TAGS_NONE, TagSink, ThinkTags } from "./think-tags";
import { ToolCallReader } from "./read-tool-calls";

const REFUSAL = constant("refusal");
/** What Groq ran on its servers. */
const EXECUTED_TOOLS = constant("executed_tools");
const TEXT = constant("text");
const THINKING = constant("thinking");

/** What a repeated event continues. */
const REPEATS_TEXT: i32 = 0;
const REPEATS_REASONING: i32 = 1;
const REPEATS_ARGUMENTS: i32 = 2;

export class MessageReader extends TagSink {
  /** Whether there was any content. */
  isBegun: bool = false;
  hasRefusal: bool = false;
  /** The string of the last delta if it had nothing else of interest, or NO_NODE. */
  single: u32 = NO_NODE;
  private repeats: i32 = REPEATS_TEXT;
  private tools: ToolCallReader | null = null;
  private reasoning: ReasoningReader | null = null;
  /** Takes reasoning out of the content; null if it has none. */
  private tags: ThinkTags | null = null;
  private citation: Citation = new Citation();
  private hasCitations: bool = false;

  constructor(
    private sink: ResponseSink,
    private translation: Translation,
  ) {
    super();
    if (translation.thinkTags != TAGS_NONE) this.tags = new ThinkTags(translation.thinkTags);
  }

  read(tape: Tape, message: u32): void {
    let content = NO_NODE;
    let refusal = NO_NODE;
    let tools = NO_NODE;
    let call = NO_NODE;
    let annotations = NO_NODE;
    let thoughts = NO_NODE;
    let otherThoughts = NO_NODE;
    let details = NO_NODE;
    let count = 0;
    const end = tape.next(message);
    for (let key = tape.first(message); key < end; key = tape.next(key + 1)) {
      const value = key + 1;
      if (!hasValue(tape, value) || tape.equals(key, constant("role"))) continue;
      count++;
      if (tape.equals(key, constant("content"))) content = value;
      else if (tape.equals(key, constant("tool_calls"))) tools = value;
      else if (tape.equals(key, REFUSAL)) refusal = value;
      else if (tape.equals(key, constant("reasoning_content"))) thoughts = value;
      else if (tape.equals(key, constant("reasoning"))) otherThoughts = value;
      else if (tape.equals(key, constant("reasoning_details"))) details = value;
      else if (tape.equals(key, constant("function_call"))) call = value;
      else if (tape.equals(key, constant("annotations"))) annotations = value;
      else this.drop(tape, key);
    }
    const letter = tape.isString(thoughts) ? MEMBER_CONTENT : MEMBER_REASONING;
    if (!tape.isString(thoughts)) thoughts = otherThoughts;
    if (tape.isString(thoughts) || details != NO_NODE)
      this.reasoningReader().read(tape, thoughts, letter, details);
    if (tape.isString(content)) this.content(tape, content);
    else if (tape.isArray(content)) this.readParts(tape, content);
    if (tape.isString(refusal)) this.refusal(tape, refusal);
    if (tools != NO_NODE || tape.isObject(call)) this.readTools(tape, tools, call);
    if (tape.isArray(annotations)) this.readAnnotations(tape, annotations);
    if (count == 1) this.findSingle(tape, content, thoughts, tools);
  }

  repeat(texts: TextRuns): void {
    if (this.repeats == REPEATS_TEXT) {
      const tags = this.tags;
      if (tags !== null && !tags.isOver) {
        for (let i: u32 = 0; i < texts.count; i++)
          tags.read(texts.pointer(i), texts.length(i), this);
        return;
      }
      this.contentBegins();
      this.sink.texts(texts);
    } else if (this.repeats == REPEATS_REASONING) {
      const reasoning = this.reasoning;
      if (reasoning != null) reasoning.repeat(texts);
    } else {
      const tools = this.tools;
      if (tools != null) tools.repeat(texts);
    }
  }

  /** Reads Perplexity's sources, which every chunk repeats beside the choices: once, and only without other citations. */
  readSearchResults(tape: Tape, results: u32): void {
    if (this.hasCitations) return;
    const end = tape.next(results);
    for (let entry = tape.first(results); entry < end; entry = tape.next(entry)) {
      this.cite(tape, entry);
    }
  }

  taggedText(pointer: usize, length: u32): void {
    this.contentBegins();
    this.sink.text(pointer, length);
  }

  taggedReasoning(pointer: usize, length: u32): void {
    this.isBegun = true;
    if (this.translation.reasoningMark === null) this.translation.markReasoning(MEMBER_TAGS, 0, 0);
    this.sink.reasoning(pointer, length);
  }

  private content(tape: Tape, node: u32): void {
    const tags = this.tags;
    if (tags === null || tags.isOver) this.text(tape, node);
    else tags.read(tape.pointer(node), tape.size(node), this);
  }

  /** The content cannot go on: what looked like a tag was none. */
  private contentEnds(): void {
    const tags = this.tags;
    if (tags !== null) tags.finish(this);
  }

  /** The response is over. */
  finish(): void {
    this.contentEnds();
    const tools = this.tools;
    if (tools != null) tools.finish();
  }

  release(): void {
    const tags = this.tags;
    if (tags !== null) tags.release();
    const tools = this.tools;
    if (tools != null) tools.release();
  }

  /** Counts a member that no client's dialect has; unknown ones are ignored. */
  private drop(tape: Tape, key: u32): void {
    if (tape.equals(key, constant("audio"))) this.translation.dropped.add(DROPPED_AUDIO);
    else if (tape.equals(key, constant("images"))) this.translation.dropped.add(DROPPED_BLOCK);
    else if (tape.equals(key, EXECUTED_TOOLS)) this.translation.dropped.add(DROPPED_SERVER_TOOL);
  }

  private findSingle(tape: Tape, content: u32, thoughts: u32, calls: u32): void {
    const tools = this.tools;
    const reasoning = this.reasoning;
    if (tape.isString(content)) {
      this.repeats = REPEATS_TEXT;
      this.single = content;
    } else if (tape.isString(thoughts) && reasoning != null && reasoning.isPlain) {
      this.repeats = REPEATS_REASONING;
      this.single = thoughts;
    } else if (calls != NO_NODE && tools != null) {
      this.repeats = REPEATS_ARGUMENTS;
      this.single = tools.single;
    }
  }

  private text(tape: Tape, node: u32): void {
    if (!tape.isString(node) || tape.size(node) == 0) return;
    this.contentBegins();
    this.sink.text(tape.pointer(node), tape.size(node));
  }

  private refusal(tape: Tape, node: u32): void {
    if (!tape.isString(node) || tape.size(node) == 0) return;
    this.hasRefusal = true;
    this.contentBegins();
    this.sink.refusal(tape.pointer(node), tape.size(node));
  }

  private contentBegins(): void {
    this.isBegun = true;
    const reasoning = this.reasoning;
    if (reasoning != null) reasoning.contentBegins();
    const tools = this.tools;
    if (tools != null) tools.contentBegins();
  }

  private reasoningReader(): ReasoningReader {
    this.isBegun = true;
    let reasoning = this.reasoning;
    if (reasoning == null) {
      reasoning = new ReasoningReader(this.sink, this.translation);
      this.reasoning = reasoning;
    }
    return reasoning;
  }

  private readTools(tape: Tape, calls: u32, call: u32): void {
    this.isBegun = true;
    this.contentEnds();
    let tools = this.tools;
    if (tools == null) {
      tools = new ToolCallReader(this.sink, this.translation);
      this.tools = tools;
    }
    const reasoning = this.reasoning;
    if (reasoning != null) reasoning.contentBegins();
    if (tape.isArray(calls)) tools.readCalls(tape, calls);
    if (tape.isObject(call)) tools.readLegacyCall(tape, call);
  }

  /** Reads content as parts: {"type":"text","text"}; Mistral's {"type":"thinking","thinking":[{"type":"text","text"}]}. */
  private readParts(tape: Tape, parts: u32): void {
    const end = tape.next(parts);
    for (let part = tape.first(parts); part < end; part = tape.next(part)) {
      const type = tape.member(part, constant("type"));
      const text = tape.isString(part) ? part : tape.member(part, TEXT);
      if (tape.equals(type, THINKING)) this.readThinking(tape, part);
      else if (tape.equals(type, REFUSAL)) this.refusal(tape, tape.member(part, REFUSAL));
      else if (tape.isString(text)) this.text(tape, text);
      else if (tape.equals(type, constant("reference")))
        this.translation.dropped.add(DROPPED_CITATION);
      else this.translation.dropped.add(DROPPED_BLOCK);
    }
  }

  private readThinking(tape: Tape, thought: u32): void {
    const reasoning = this.reasoningReader();
    const thinking = tape.member(thought, THINKING);
    if (tape.isString(thinking)) reasoning.read(tape, thinking, MEMBER_PARTS, NO_NODE);
    if (tape.isArray(thinking)) {
      const end = tape.next(thinking);
      for (let part = tape.first(thinking); part < end; part = tape.next(part)) {
        const text = tape.isString(part) ? part : tape.member(part, TEXT);
        if (tape.isString(text)) reasoning.read(tape, text, MEMBER_PARTS, NO_NODE);
      }
    }
    reasoning.signPart(tape, tape.member(thought, constant("signature")));
  }

  private readAnnotations(tape: Tape, annotations: u32): void {
    const end = tape.next(annotations);
    for (let entry = tape.first(annotations); entry < end; entry = tape.next(entry)) {
      const place = tape.member(entry, constant("url_citation"));
      if (place == NO_NODE) this.translation.dropped.add(DROPPED_CITATION);
      else this.cite(tape, place);
    }
  }

  private cite(tape: Tape, place: u32): void {
    const url = tape.member(place, constant("url"));
    if (!tape.isString(url) || tape.size(url) == 0) return;
    this.hasCitations = true;
    this.citation.set(tape, url, tape.member(place, constant("title")), NO_NODE);
    this.sink.citation(this.citation);
  }
}

/** Returns whether a member is more than null, an empty text or an empty list. */
function hasValue(tape: Tape, node: u32): bool {
  if (tape.isString(node)) return tape.size(node) > 0;
  if (tape.isArray(node)) return !tape.isEmpty(node);
  return tape.isPresent(node);
}
