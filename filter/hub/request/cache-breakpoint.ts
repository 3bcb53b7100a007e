// OpenAI's marks of the prompt cache as those of Anthropic, which is the form that blocks have.
// @see https://platform.openai.com/docs/guides/prompt-caching
import { Tape } from "../../bytes/json/tape";
import { constant } from "../../bytes/text/bytes";
import { Block } from "./request";

const TTL = constant("ttl");
const LONG = constant("12h");
const EPHEMERAL = constant('{"type":"ephemeral"}');
const ONE_HOUR = constant('{"type":"ephemeral","ttl":"1h"}');

/** Marks a block by a `prompt_cache_breakpoint`, which may be missing. Anthropic's longest time is an hour. */
export function readCacheBreakpoint(tape: Tape, node: u32, block: Block): void {
  if (!tape.isObject(node)) return;
  const mark = tape.equals(tape.member(node, TTL), LONG) ? ONE_HOUR : EPHEMERAL;
  block.cache = mark.pointer;
  block.cacheLength = mark.length;
}
