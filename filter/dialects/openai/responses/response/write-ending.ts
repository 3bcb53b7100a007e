// The end of a response that the gateway does not let go on: `response.failed` with the code on which Codex shows the message and does
// not try again.
import { Fault } from "../../../../hub/faults/fault";
import { escapeText } from "../../../../bytes/json/text";
import { ByteBuffer } from "../../../../bytes/text/bytes";
import { ResponseEnding } from "../../../response-ending";
import { failureCode, failureMessage } from "../write-fault";

export function writeEnding(ending: ResponseEnding, fault: Fault, out: ByteBuffer): void {
  out.text('event: response.failed\ndata: {"type":"response.failed","response":{');
  out.bytes(ending.head.pointer, ending.head.length);
  out.text('"status":"failed","completed_at":null,"error":{"code":"');
  escapeText(failureCode(fault), out);
  out.text('","message":"');
  escapeText(failureMessage(fault), out);
  out.text('"},"incomplete_details":null,"output":[],"usage":null},"sequence_number":');
  out.integer(ending.number);
  out.text("}\n\n");
}
