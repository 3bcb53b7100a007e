// The size of a screen by its last screenshot: OpenAI's tool for a computer does not name it, Anthropic's must, and the places of its
// actions are pixels of that size.
// @see https://www.w3.org/TR/png-3/#11IHDR
import { byteAt, startsWith } from "../../bytes/text/at";
import { decodeBase64 } from "../../bytes/text/base64";
import { constant, scratchBuffer } from "../../bytes/text/bytes";
import { BLOCK_IMAGE_DATA, FLAG_SCREEN, HubRequest } from "./request";

/** The signature of a PNG and the beginning of its first chunk, in base64. */
const PNG = constant("iVBORw0KGgoAAAANSUhEUg");
/** What 32 characters of base64 have: up to both sizes. Some of them may be escaped. */
const HEAD: u32 = 24;
const HEAD_TEXT: u32 = 44;

/** The size that Anthropic advises, for a conversation without a screenshot. */
const DEFAULT_WIDTH: u32 = 1024;
const DEFAULT_HEIGHT: u32 = 768;

/** What `readScreenSize` has found. Pixels. */
export let screenWidth: u32 = DEFAULT_WIDTH;
export let screenHeight: u32 = DEFAULT_HEIGHT;

const head = scratchBuffer();

/** Reads the size of the last screenshot of the conversation that is a PNG and has one. */
export function readScreenSize(request: HubRequest): void {
  screenWidth = DEFAULT_WIDTH;
  screenHeight = DEFAULT_HEIGHT;
  for (let i = request.blocks.count; i > 0; i--) {
    const block = request.block(i - 1);
    if (block.kind != BLOCK_IMAGE_DATA || (block.flags & FLAG_SCREEN) == 0) continue;
    if (!startsWith(block.text, block.textLength, PNG)) continue;
    head.clear();
    decodeBase64(block.text, min(block.textLength, HEAD_TEXT), head);
    if (head.length < HEAD || sizeAt(16) == 0 || sizeAt(20) == 0) continue;
    screenWidth = sizeAt(16);
    screenHeight = sizeAt(20);
    return;
  }
}

/** No screen has more than 65,535 pixels. */
function sizeAt(at: u32): u32 {
  return (byteAt(head.pointer, at + 2) << 8) | byteAt(head.pointer, at + 3);
}
