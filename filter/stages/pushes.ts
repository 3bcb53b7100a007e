// The requests of the control plane on its own listener, each a path with what it sets. They are no client's: neither recorded nor logged.
import { freeBlock } from "../memory/blocks";
import { BUDGETS_PATH } from "../../contract/budget-format";
import { KEYS_PATH } from "../../contract/key-format";
import { SESSIONS_PATH } from "../../contract/session-ends-format";
import { Config } from "../config/read-config";
import { JSON_TYPE } from "../exchange/header-names";
import { METHOD, PATH, readHead } from "../exchange/request-head";
import { REQUEST_BODY, takeBody } from "../host/host";
import { addLocalHeader, sendLocalResponse } from "../host/local-response";
import { setKeys } from "../keys/set-keys";
import { setEnded } from "../limits/session-ends";
import { setLimits } from "../limits/set-limits";
import { scan, SCAN_OK } from "../bytes/json/scan";
import { scratchTape, Tape } from "../bytes/json/tape";
import { ByteBuffer, constant, sameSpan, scratchBuffer, Span } from "../bytes/text/bytes";

/** A larger push is rejected. Bytes. */
const MAX_PUSH: u32 = 4 << 20;

/** What a path sets. */
class Push {
  constructor(
    public path: Span,
    /** Applies the scanned body, and writes the response to `out`. Returns its status. */
    public apply: (tape: Tape, config: Config, out: ByteBuffer) => u32,
    /** For the error of a malformed body. */
    public content: string,
  ) {}
}

const PUSHES = [
  new Push(
    constant(BUDGETS_PATH),
    (tape, config, out) => setLimits(tape, config.budgets.ids, out),
    "limits",
  ),
  new Push(constant(KEYS_PATH), (tape, _config, out) => setKeys(tape, out), "keys"),
  new Push(constant(SESSIONS_PATH), (tape, _config, out) => setEnded(tape, out), "sessions"),
];

const tape = scratchTape();
const out = scratchBuffer();
const body = new Span(0, 0);

/** Rejects every other request. Returns whether a response was sent. */
export function onPushHeaders(endsHere: bool): bool {
  if (findPush() === null) return reject(404, "Unknown path.");
  if (!sameSpan(METHOD, constant("POST"))) return reject(405, "Only POST is allowed.");
  return endsHere && reject(400, "The body is missing.");
}

/** Applies the push once the body is whole. Returns whether a response was sent. */
export function onPushBody(config: Config, size: u32, endsHere: bool): bool {
  if (size > MAX_PUSH) return reject(413, "The body is too large.");
  if (!endsHere) return false;
  const push = findPush();
  const bytes = takeBody(REQUEST_BODY, 0, size);
  const pointer = bytes.pointer;
  const isJson = pointer != 0 && scan(tape, pointer, bytes.length) == SCAN_OK;
  const status = isJson && push !== null ? push.apply(tape, config, out) : 400;
  tape.reset();
  freeBlock(pointer);
  const content = push === null ? "" : push.content;
  if (status == 400) return reject(status, "The body is not a list of " + content + ".");
  if (status != 200) return reject(status, "The " + content + " could not be stored.");
  return send(status);
}

/** Reads the head of the current request. Returns its row; null for an unknown path. */
function findPush(): Push | null {
  readHead();
  for (let i = 0; i < PUSHES.length; i++) {
    if (sameSpan(PATH, PUSHES[i].path)) return PUSHES[i];
  }
  return null;
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
