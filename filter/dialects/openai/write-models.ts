// The list of models.
// @see https://platform.openai.com/docs/api-reference/models/list
import { escapeText } from "../../bytes/json/text";
import { ByteBuffer } from "../../bytes/text/bytes";

export function writeModels(ids: string[], owners: string[], out: ByteBuffer): void {
  out.text('{"object":"list","data":[');
  for (let i = 0; i < ids.length; i++) {
    out.text(i == 0 ? '{"id":"' : ',{"id":"');
    escapeText(ids[i], out);
    out.text('","object":"model","created":0,"owned_by":"');
    escapeText(owners[i], out);
    out.text('"}');
  }
  out.text("]}");
}
