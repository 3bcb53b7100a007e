// The client of a token that Envoy has verified: who it is, by the claims. Claims come from outside: lengths are bounded, and nothing but
// text is accepted.
import {
  FAILURE,
  MAX_CLAIM_BYTES,
  MAX_CLAIM_ITEMS,
  OTHER_ISSUER,
  TOKEN_FAILURES,
  TOKEN_METADATA,
  TokenFailure,
} from "../../contract/token-metadata";
import { SESSIONS_KNOWN } from "../../contract/key-format";
import { TOKEN_NAME_PREFIX } from "../../contract/words";
import { ApiKey } from "../config/api-keys";
import { Config } from "../config/read-config";
import { Claim, TokenIssuer } from "../config/read-issuers";
import { Fault } from "../hub/faults/fault";
import { property, wasProperty } from "../host/host";
import { wordAt } from "../bytes/fields";
import { byteAt, startsWith } from "../bytes/text/at";
import { ByteBuffer, constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { HeldText } from "../bytes/text/held-text";
import { isValidUtf8 } from "../bytes/text/valid-utf8";
import { completeIdentity, heldText } from "./identity";
import { hadRow, SESSION_ROW } from "./key-rows";

const MESSAGE = constant(
  "metadata\0filter_metadata\0" + TOKEN_METADATA + "\0" + FAILURE + "\0message",
);
const PREFIX = constant(TOKEN_NAME_PREFIX);
/** How Envoy's texts begin, by the index in TOKEN_FAILURES. */
const BEGINNINGS = TOKEN_FAILURES.map<Span>((row) => constant(row.text));
const FOREIGN = constant(OTHER_ISSUER);
const COMMA: u32 = 0x2c;
const LINE_BREAK: u32 = 0x0a;
const PAUSE: u32 = 1;
/** Bytes of the number in front of a list, and of the two sizes of an item: of its text, and of nothing. */
const COUNT_BYTES: u32 = 4;
const SIZE_BYTES: u32 = 4;
const SIZES_BYTES: u32 = 8;
/** After each item, and the nothing beside it. */
const END_BYTES: u32 = 2;

const KNOWN = constant(SESSIONS_KNOWN);
/** Whether the sessions that have ended are known. It stays so, because a VM ends with its Envoy. */
let knowsSessions = false;

const name = scratchBuffer();
const list = scratchBuffer();
const item = new Span(0, 0);

/** Why a verified token is rejected; null if it is not. Of the last call of `findTokenClient`. */
let fault: Fault | null = null;

/** Returns the client of the verified token; null if there is none, or its claims are rejected. */
export function findTokenClient(config: Config, issuers: TokenIssuer[]): ApiKey | null {
  fault = null;
  for (let i = 0; i < issuers.length; i++) {
    // Each read costs 14 thousand instructions, so that `iss`, which each payload has, is read if the name is missing.
    const issuer = issuers[i];
    const text = property(issuer.name.path);
    if (text.length > 0) return clientOf(config, issuer, text);
    if (property(issuer.issuer.path).length > 0) return reject(issuer.name);
  }
  return null;
}

/** Returns why a token was rejected; null if none was sent. */
export function tokenFault(): Fault | null {
  if (fault !== null) return fault;
  const text = property(MESSAGE);
  if (text.length == 0) return null;
  for (let i = 0; i < BEGINNINGS.length; i++) {
    if (!startsWith(text.pointer, text.length, BEGINNINGS[i])) continue;
    const row = TOKEN_FAILURES[i];
    return row.status == 0 ? null : faultOf(row);
  }
  return null;
}

/** Returns whether Envoy may have rejected a token of an issuer of this listener, which is still in the request. */
export function hasRejectedToken(): bool {
  const text = property(MESSAGE);
  return text.length > 0 && !startsWith(text.pointer, text.length, FOREIGN);
}

function faultOf(row: TokenFailure): Fault {
  const found = new Fault(<u32>row.status, row.message).coded("invalid_token");
  return row.status == 503 ? found.after(PAUSE) : found;
}

/** @param text the claim of the name, valid until the next read */
function clientOf(config: Config, issuer: TokenIssuer, text: Span): ApiKey | null {
  name.clear();
  name.span(PREFIX);
  if (!appendText(text, name)) return reject(issuer.name);
  const session = issuer.session;
  if (session !== null && hasEnded(property(session.path))) return null;
  const client = new ApiKey(heldText(name));
  client.addBudgets(config.budgets.all);
  list.clear();
  if (issuer.user === issuer.name)
    list.bytes(name.pointer + PREFIX.length, name.length - PREFIX.length);
  else if (!appendText(property(issuer.user.path), list)) return reject(issuer.user);
  client.user = heldText(list);
  const groups = issuer.groups;
  if (groups !== null) {
    const value = property(groups.path);
    if (wasProperty()) {
      if (!appendAll(value, COMMA)) return reject(groups);
      if (list.length > 0) client.group = heldText(list);
    }
  }
  const models = issuer.models;
  let own: HeldText | null = null;
  if (models !== null) {
    const value = property(models.path);
    // A token without the claim may use all models, one with an empty list none.
    if (wasProperty()) {
      if (!appendAll(value, LINE_BREAK)) return reject(models);
      own = heldText(list);
    }
  }
  if (own !== null || config.hasRunTimeKeys) completeIdentity(config, client, own);
  return client;
}

/** Returns whether a session has ended, or that is not known yet. */
function hasEnded(session: Span): bool {
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
function appendAll(value: Span, separator: u32): bool {
  list.clear();
  // Envoy writes a list as the number of its items, their sizes and their bytes. No accepted text begins like that: it has a NUL.
  if (value.length < COUNT_BYTES) return appendText(value, list);
  const count = wordAt(value.pointer, 0);
  if (count > <u32>MAX_CLAIM_ITEMS) return appendText(value, list);
  if (count == 0) return value.length == COUNT_BYTES;
  let at = COUNT_BYTES + count * SIZES_BYTES;
  for (let i: u32 = 0; i < count; i++) {
    if (at > value.length) return false;
    const sizes = COUNT_BYTES + i * SIZES_BYTES;
    item.pointer = value.pointer + at;
    item.length = wordAt(value.pointer, sizes);
    // An object's item has a value.
    if (item.length > value.length - at || wordAt(value.pointer, sizes + SIZE_BYTES) > 0)
      return false;
    if (i > 0) list.byte(separator);
    if (!appendText(item, list)) return false;
    at += item.length + END_BYTES;
  }
  return true;
}

/** Appends a text. Returns false if it is empty, too long, or holds a comma or what no name has. */
function appendText(text: Span, out: ByteBuffer): bool {
  if (text.length == 0 || text.length > <u32>MAX_CLAIM_BYTES) return false;
  for (let i: u32 = 0; i < text.length; i++) {
    const byte = byteAt(text.pointer, i);
    if (byte < 0x20 || byte == 0x7f || byte == COMMA) return false;
  }
  if (!isValidUtf8(text.pointer, text.length)) return false;
  out.span(text);
  return true;
}
