// OpenAI's marks of the prompt cache as those of Anthropic, which is the form that blocks have.
// @see https://platform.openai.com/docs/guides/prompt-caching
import { Tape } from "../../bytes/json/tape";
import { constant } from "../../bytes/text/bytes";
import { Block } from "./request";

/** Marks a block by a `prompt_cache_breakpoint`, which may be missing. Anthropic's longest time is an hour. */
export function readCacheBreakpoint(tape: Tape, node: u32, block: Block): void {
  if (!tape.isObject(node)) return;
  const mark = tape.equals(tape.member(node, constant("ttl")), constant("12h"))
    ? constant('{"type":"ephemeral","ttl":"1h"}')
    : constant('{"type":"ephemeral"}');
  block.cache = mark.pointer;
  block.cacheLength = mark.length;
}
