// The client of a token that Envoy has verified: who it is, by the claims. Claims come from outside: lengths are bounded, and nothing but
// text is accepted.
import {
  MAX_CLAIM_BYTES,
  MAX_CLAIM_ITEMS,
  OTHER_ISSUER,
  TOKEN_FAILURES,
  TokenFailure,
} from "../../contract/token-metadata";
import { SESSIONS_KNOWN } from "../../contract/key-format";
import { TOKEN_NAME_PREFIX } from "../../contract/words";
import { ApiKey } from "../config/api-keys";
import { Config } from "../config/read-config";
import { Claim, TokenIssuer } from "../config/read-issuers";
import { Fault } from "../hub/faults/fault";
import { property } from "../host/host";
import { UNKNOWN } from "../host/shared-counter";
import { scan, SCAN_OK } from "../bytes/json/scan";
import { NO_NODE, scratchTape } from "../bytes/json/tape";
import { unescape } from "../bytes/json/text";
import { byteAt, startsWith } from "../bytes/text/at";
import { decodeBase64 } from "../bytes/text/base64";
import { ByteBuffer, constant, sameBytes, scratchBuffer, Span } from "../bytes/text/bytes";
import { spread, textHash } from "../bytes/text/hash";
import { HeldText } from "../bytes/text/held-text";
import { completeIdentity, heldText } from "./identity";
import { hadRow, refreshRows, SESSION_ROW } from "./key-rows";

const PREFIX = constant(TOKEN_NAME_PREFIX);
/** How Envoy's texts begin, by the index in TOKEN_FAILURES. */
const BEGINNINGS = TOKEN_FAILURES.map<Span>((row) => constant(row.text));
const FOREIGN = constant(OTHER_ISSUER);
const COMMA: u32 = 0x2c;
const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;
const LINE_BREAK: u32 = 0x0a;
const MINUS: u32 = 0x2d;
const PLUS: u32 = 0x2b;
const SLASH: u32 = 0x2f;
const UNDERSCORE: u32 = 0x5f;
const PAUSE: u32 = 1;
/** The tokens whose clients a VM keeps: a power of two. One that was used longer ago is read again. */
const MAX_RECENT: i32 = 1024;
/** A larger payload is read with each request. Bytes of base64. */
const MAX_KEPT_PAYLOAD: u32 = 4096;

const KNOWN = constant(SESSIONS_KNOWN);
/** Whether the sessions that have ended are known. It stays so, because a VM ends with its Envoy. */
let knowsSessions = false;

const text = scratchBuffer();
const list = scratchBuffer();
const json = scratchBuffer();
const tape = scratchTape();

/** The client of a payload, valid until a row may have changed. */
class RecentToken {
  constructor(
    public payload: HeldText,
    public issuer: TokenIssuer,
    public client: ApiKey,
    /** The number of changes when it was read. */
    public readAt: u64,
  ) {}

  isOf(issuer: TokenIssuer, now: u64): bool {
    const own = this.payload;
    const sought = issuer.payload;
    return (
      this.issuer === issuer &&
      this.readAt == now &&
      sameBytes(own.pointer, own.length, sought.pointer, sought.length)
    );
  }
}

/** By the hash of the payload. Empty until a token is read. */
let recent: StaticArray<RecentToken | null> = [];

/** Why a verified token is rejected; null if it is not. Of the last call of `findTokenClient`. */
let fault: Fault | null = null;

/**
 * Returns the client of the verified token; null if there is none, or its claims are rejected.
 * @param now the number of changes of rows, if there are keys of run time
 */
export function findTokenClient(config: Config, issuers: TokenIssuer[], now: u64): ApiKey | null {
  fault = null;
  const issuer = issuerOf(issuers);
  if (issuer === null) return null;
  if (issuer.session !== null) now = refreshRows();
  const payload = issuer.payload;
  const place = <i32>(spread(textHash(payload.pointer, payload.length, 0)) & (MAX_RECENT - 1));
  const last = place < recent.length ? recent[place] : null;
  if (last !== null && now != UNKNOWN && last.isOf(issuer, now)) return last.client;
  const client = readClient(config, issuer);
  tape.reset();
  if (client === null || payload.length > MAX_KEPT_PAYLOAD) return client;
  if (recent.length == 0) recent = new StaticArray<RecentToken | null>(MAX_RECENT);
  const held = new HeldText(payload.pointer, payload.length);
  recent[place] = new RecentToken(held, issuer, client, now);
  return client;
}

/** Returns the issuer of the verified token; null if Envoy has verified none. */
function issuerOf(issuers: TokenIssuer[]): TokenIssuer | null {
  // Envoy tries the issuers in this order, and removes the header of each one that it tries.
  for (let i = 0; i < issuers.length; i++) {
    if (issuers[i].payload.length > 0) return issuers[i];
  }
  return null;
}

/** Returns why a token was rejected; null if none was sent. */
export function tokenFault(issuers: TokenIssuer[]): Fault | null {
  if (fault !== null) return fault;
  let found: TokenFailure | null = null;
  for (let i = 0; i < issuers.length; i++) {
    const row = failureOf(property(issuers[i].failure));
    if (row === null || row.status == 0) continue;
    // What its own issuer finds, rather than the others.
    if (found === null || row.text != OTHER_ISSUER) found = row;
  }
  return found === null ? null : faultOf(found);
}

function failureOf(message: Span): TokenFailure | null {
  if (message.length == 0) return null;
  for (let i = 0; i < BEGINNINGS.length; i++) {
    if (startsWith(message.pointer, message.length, BEGINNINGS[i])) return TOKEN_FAILURES[i];
  }
  return null;
}

/** Returns whether Envoy has rejected a token of an issuer of this listener, which is still in the request. */
export function hasRejectedToken(issuers: TokenIssuer[]): bool {
  for (let i = 0; i < issuers.length; i++) {
    const message = property(issuers[i].failure);
    if (message.length > 0 && !startsWith(message.pointer, message.length, FOREIGN)) return true;
  }
  return false;
}

function faultOf(row: TokenFailure): Fault {
  const found = new Fault(<u32>row.status, row.message).coded("invalid_token");
  return row.status == 503 ? found.after(PAUSE) : found;
}

function readClient(config: Config, issuer: TokenIssuer): ApiKey | null {
  if (!readPayload(issuer.payload)) return reject(issuer.name);
  list.clear();
  list.span(PREFIX);
  if (!appendText(valueOf(issuer.name), list)) return reject(issuer.name);
  const client = new ApiKey(heldText(list));
  list.clear();
  if (!appendText(valueOf(issuer.user), list)) return reject(issuer.user);
  client.user = heldText(list);
  const session = issuer.session;
  if (session !== null) {
    list.clear();
    if (!appendText(valueOf(session), list)) return reject(session);
    if (hasEnded(list)) return null;
  }
  client.addBudgets(config.budgets.all);
  const groups = issuer.groups;
  if (groups !== null) {
    const value = valueOf(groups);
    if (value != NO_NODE && !appendAll(value, COMMA)) return reject(groups);
    if (value != NO_NODE && list.length > 0) client.group = heldText(list);
  }
  const models = issuer.models;
  let own: HeldText | null = null;
  if (models !== null) {
    const value = valueOf(models);
    // A token without the claim may use all models, one with an empty list none.
    if (value != NO_NODE && !appendAll(value, LINE_BREAK)) return reject(models);
    if (value != NO_NODE) own = heldText(list);
  }
  if (own !== null || config.hasRunTimeKeys) completeIdentity(config, client, own);
  return client;
}

/** Reads the claims into `tape`. Returns false if the payload cannot be read. */
function readPayload(payload: Span): bool {
  text.clear();
  // Base64 for URLs (RFC 4648, section 5) has two other characters.
  for (let i: u32 = 0; i < payload.length; i++) {
    const byte = byteAt(payload.pointer, i);
    text.byte(byte == MINUS ? PLUS : byte == UNDERSCORE ? SLASH : byte);
  }
  json.clear();
  if (!decodeBase64(text.pointer, text.length, json)) return false;
  return scan(tape, json.pointer, json.length) == SCAN_OK;
}

/** Returns the value of a claim, NO_NODE if the payload does not have it. */
function valueOf(claim: Claim): u32 {
  let node = tape.root();
  for (let i = 0; i < claim.path.length; i++) node = tape.member(node, claim.path[i]);
  return node;
}

/** Returns whether a session has ended, or that is not known yet. */
function hasEnded(session: ByteBuffer): bool {
  if (!knowsSessions) {
    knowsSessions = hadRow(SESSION_ROW, KNOWN.pointer, KNOWN.length);
    if (!knowsSessions)
      fault = new Fault(503, "The gateway does not know its sessions yet. Retry in 1 s.").after(
        PAUSE,
      );
  }
  if (knowsSessions && hadRow(SESSION_ROW, session.pointer, session.length))
    fault = new Fault(401, "The session of the token has ended. Log in again.").coded(
      "invalid_token",
    );
  return fault !== null;
}

function reject(claim: Claim): ApiKey | null {
  fault = new Fault(
    403,
    "The claim '" +
      claim.name +
      "' of the token is missing or not accepted: a text of 1 to " +
      MAX_CLAIM_BYTES.toString() +
      " bytes without commas, or a list of at most " +
      MAX_CLAIM_ITEMS.toString() +
      ".",
  ).coded("invalid_token");
  return null;
}

/** Writes the values of a claim to `list`, with `separator` between them. Returns false if one of them is not accepted. */
function appendAll(value: u32, separator: u32): bool {
  list.clear();
  if (!tape.isArray(value)) return appendText(value, list);
  const end = tape.next(value);
  let count = 0;
  for (let item = tape.first(value); item < end; item = tape.next(item)) {
    if (++count > MAX_CLAIM_ITEMS) return false;
    if (count > 1) list.byte(separator);
    if (!appendText(item, list)) return false;
  }
  return true;
}

/**
 * Appends a text. Returns false if it is none, empty, too long, or holds a comma or what no name has. What JSON escapes counts twice, as in
 * the names of rows: a user with a longer name could have no limits.
 */
function appendText(value: u32, out: ByteBuffer): bool {
  if (!tape.isString(value)) return false;
  text.clear();
  unescape(tape.pointer(value), tape.size(value), text);
  if (text.length == 0 || text.length > <u32>MAX_CLAIM_BYTES) return false;
  let size = text.length;
  for (let i: u32 = 0; i < text.length; i++) {
    const byte = byteAt(text.pointer, i);
    if (byte < 0x20 || byte == 0x7f || byte == COMMA) return false;
    if (byte == QUOTE || byte == BACKSLASH) size++;
  }
  if (size > <u32>MAX_CLAIM_BYTES) return false;
  out.bytes(text.pointer, text.length);
  return true;
}
