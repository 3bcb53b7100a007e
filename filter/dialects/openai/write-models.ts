// Models, as a list or one of them.
// @see https://platform.openai.com/docs/api-reference/models/list
import { escapeText } from "../../bytes/json/text";
import { ByteBuffer } from "../../bytes/text/bytes";

export function writeModels(ids: string[], owners: string[], out: ByteBuffer): void {
  out.text('{"object":"list","data":[');
  for (let i = 0; i < ids.length; i++) {
    if (i > 0) out.text(",");
    writeModel(ids[i], owners[i], out);
  }
  out.text("]}");
}

export function writeModel(id: string, owner: string, out: ByteBuffer): void {
  out.text('{"id":"');
  escapeText(id, out);
  out.text('","object":"model","created":0,"owned_by":"');
  escapeText(owner, out);
  out.text('"}');
}
