// Which members of an event or a body have no text, and which have JSON.
import { constant, Span } from "../../bytes/text/bytes";

/** Members whose strings are JSON. */
export const JSON_MEMBERS: Span[] = [constant("arguments"), constant("partial_json")];
/** Members without texts: words of the API, and what is signed, encrypted or in base64. */
export const WORDS: Span[] = [
  constant("id"),
  constant("type"),
  constant("role"),
  constant("object"),
  constant("model"),
  constant("name"),
  constant("status"),
  constant("index"),
  constant("call_id"),
  constant("item_id"),
  constant("tool_use_id"),
  constant("response_id"),
  constant("previous_response_id"),
  constant("finish_reason"),
  constant("stop_reason"),
  constant("system_fingerprint"),
  constant("obfuscation"),
  constant("signature"),
  constant("thought_signature"),
  constant("encrypted_content"),
  constant("encrypted_index"),
  constant("data"),
  constant("b64_json"),
  constant("partial_image_b64"),
];
