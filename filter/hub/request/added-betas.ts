// The betas of Anthropic that a translated request may need, a bit for each.
import { ByteBuffer, constant, Span } from "../../bytes/text/bytes";
import { contains } from "../../bytes/text/find";

/** @see https://platform.claude.com/docs/en/agents-and-tools/mcp-connector */
export const BETA_MCP: u32 = 1;
/**
 * Claude Opus 5 and 4.8 need it, newer models do not.
 * @see https://platform.claude.com/docs/en/build-with-claude/fast-mode
 */
export const BETA_FAST: u32 = 2;
/** @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/computer-use-tool */
export const BETA_COMPUTER: u32 = 4;
export const BETA_OLDER_COMPUTER: u32 = 8;

const NAMES: StaticArray<Span> = [
  constant("mcp-client-2025-11-20"),
  constant("fast-mode-2026-02-01"),
  constant("computer-use-2025-11-24"),
  constant("computer-use-2025-01-24"),
];

/** Appends the betas that a header's value lacks. */
export function writeBetas(betas: u32, out: ByteBuffer): void {
  for (let i = 0; i < NAMES.length; i++) {
    const name = unchecked(NAMES[i]);
    if (((betas >> i) & 1) == 0 || contains(out.pointer, out.length, name)) continue;
    if (out.length > 0) out.byte(0x2c);
    out.span(name);
  }
}
