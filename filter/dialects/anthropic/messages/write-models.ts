// Models, as a list or one of them. `created_at` "may be set to an epoch value if the release date is unknown", as it is to a
// gateway; so are the members that are null.
// @see https://docs.anthropic.com/en/api/models-list
import { escapeText } from "../../../bytes/json/text";
import { ByteBuffer } from "../../../bytes/text/bytes";

export function writeModels(ids: string[], out: ByteBuffer): void {
  const count = ids.length;
  out.text('{"data":[');
  for (let i = 0; i < count; i++) {
    if (i > 0) out.text(",");
    writeModel(ids[i], out);
  }
  out.text('],"has_more":false,"first_id":');
  writeId(ids, 0, out);
  out.text(',"last_id":');
  writeId(ids, count - 1, out);
  out.text("}");
}

export function writeModel(id: string, out: ByteBuffer): void {
  out.text('{"type":"model","id":"');
  escapeText(id, out);
  out.text('","display_name":"');
  escapeText(id, out);
  out.text(
    '","created_at":"1970-01-01T00:00:00Z","capabilities":null,"deprecated_at":null,"lifecycle":"active","line":null,"max_input_tokens":null,"max_tokens":null,"retires_at":null}',
  );
}

function writeId(ids: string[], at: i32, out: ByteBuffer): void {
  if (at < 0 || at >= ids.length) {
    out.text("null");
    return;
  }
  out.text('"');
  escapeText(ids[at], out);
  out.text('"');
}
