// Puts a short text in the place of each image for a model that reads text only: its provider would reject the request, and all
// later ones of the conversation.
import { constant } from "../../bytes/text/bytes";
import { BLOCK_IMAGE_DATA, BLOCK_IMAGE_URL, BLOCK_TEXT, HubRequest } from "./request";
import { RequestReport } from "./request-report";

const LEFT_OUT = constant("(An image was left out: this model reads text only.)");

export function leaveOutImages(request: HubRequest, report: RequestReport): void {
  for (let i: u32 = 0; i < request.blocks.count; i++) {
    const block = request.block(i);
    if (block.kind != BLOCK_IMAGE_DATA && block.kind != BLOCK_IMAGE_URL) continue;
    block.kind = BLOCK_TEXT;
    block.text = LEFT_OUT.pointer;
    block.textLength = LEFT_OUT.length;
    report.dropForModel(report.paths.image);
  }
}
