// The requests of the control plane on its own listener: `POST /budgets` (contract/budget-format.ts) sets the limits of budgets. They
// are no client's: neither recorded nor logged.
import { freeBlock } from "../memory/blocks";
import { BUDGETS_PATH } from "../../contract/budget-format";
import { Config } from "../config/read-config";
import { JSON_TYPE } from "../exchange/respond";
import { METHOD, PATH, readHead } from "../exchange/request-head";
import { REQUEST_BODY, takeBody } from "../host/host";
import { addLocalHeader, sendLocalResponse } from "../host/local-response";
import { setLimits } from "../limits/set-limits";
import { scan, SCAN_OK } from "../bytes/json/scan";
import { scratchTape } from "../bytes/json/tape";
import { constant, sameSpan, scratchBuffer, Span } from "../bytes/text/bytes";

/** A larger push is rejected: a budget takes 100 bytes. Bytes. */
const MAX_PUSH: u32 = 4 << 20;

const tape = scratchTape();
const out = scratchBuffer();
const body = new Span(0, 0);

/** Rejects every other request. Returns whether a response was sent. */
export function onPushHeaders(endsHere: bool): bool {
  readHead();
  if (!sameSpan(PATH, constant(BUDGETS_PATH))) return reject(404, "Unknown path.");
  if (!sameSpan(METHOD, constant("POST"))) return reject(405, "Only POST is allowed.");
  return endsHere && reject(400, "The body is missing.");
}

/** Sets the limits once the body is whole. Returns whether a response was sent. */
export function onPushBody(config: Config, size: u32, endsHere: bool): bool {
  if (size > MAX_PUSH) return reject(413, "The body is too large.");
  if (!endsHere) return false;
  const bytes = takeBody(REQUEST_BODY, 0, size);
  const pointer = bytes.pointer;
  const isJson = pointer != 0 && scan(tape, pointer, bytes.length) == SCAN_OK;
  const status = isJson ? setLimits(tape, config.budgets.ids, out) : 400;
  tape.reset();
  freeBlock(pointer);
  if (status == 400) return reject(status, "The body is not a list of limits.");
  if (status != 200) return reject(status, "The limits could not be stored.");
  return send(status);
}

function reject(status: u32, message: string): bool {
  out.clear();
  out.text('{"error":{"message":"' + message + '"}}');
  return send(status);
}

/** Sends the response in `out`. */
function send(status: u32): bool {
  addLocalHeader(constant("content-type"), JSON_TYPE);
  sendLocalResponse(status, out.view(body));
  return true;
}
