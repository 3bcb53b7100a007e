// Puts a short text in the place of each image and document for a model that reads text only: its provider would reject the
// request, and all later ones of the conversation.
import { constant } from "../../bytes/text/bytes";
import {
  BLOCK_DOCUMENT_DATA,
  BLOCK_DOCUMENT_URL,
  BLOCK_IMAGE_DATA,
  BLOCK_IMAGE_URL,
  BLOCK_TEXT,
  FLAG_PLAIN,
  HubRequest,
} from "./request";
import { RequestReport } from "./request-report";

const TITLE = constant("messages[].content[].title");
const NO_IMAGE = constant("(An image was left out: this model reads text only.)");
const NO_DOCUMENT = constant("(A document was left out: this model reads text only.)");

export function leaveOutMedia(request: HubRequest, report: RequestReport): void {
  for (let i: u32 = 0; i < request.blocks.count; i++) {
    const block = request.block(i);
    const isImage = block.kind == BLOCK_IMAGE_DATA || block.kind == BLOCK_IMAGE_URL;
    if (!isImage && block.kind != BLOCK_DOCUMENT_DATA && block.kind != BLOCK_DOCUMENT_URL) continue;
    block.kind = BLOCK_TEXT;
    const isText = (block.flags & FLAG_PLAIN) != 0;
    // Its text is what remains of a document of plain text.
    if (isText && block.idLength > 0) report.dropForModel(TITLE);
    // A text block has no name, id, signature or flags.
    block.idLength = 0;
    block.nameLength = 0;
    block.signatureLength = 0;
    block.flags = 0;
    if (isText) continue;
    const text = isImage ? NO_IMAGE : NO_DOCUMENT;
    block.text = text.pointer;
    block.textLength = text.length;
    report.dropForModel(isImage ? report.paths.image : report.paths.document);
  }
}
