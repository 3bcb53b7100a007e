// Keys of providers, clouds and services by their published forms (those of gitleaks' rules), JSON Web Tokens and private keys.
import { byteAt, isDigit, isLetter, startsWith } from "../bytes/text/at";
import { constant, Span } from "../bytes/text/bytes";
import { contains } from "../bytes/text/find";
import { GuardKind } from "./kind-numbers";
import { isWord, NOWHERE, TextWindow } from "./text-window";

const HYPHEN: u32 = 0x2d;
const DOT: u32 = 0x2e;

/** What a key consists of after its beginning. */
const enum Body {
  Digits = 1,
  LowerHex = 2,
  Alphanumeric = 3,
  /** And `_`, `-`. */
  Words = 4,
  /** And `+`, `/`, `=`. */
  Base64 = 5,
  /** A–Z, 2–7. */
  Base32 = 6,
  /** And `.`. */
  Dotted = 7,
}

export class SecretForm {
  constructor(
    public beginning: Span,
    public body: Body,
    public least: u32,
    public most: u32,
    /** A text that the body contains; empty: none. */
    public inside: Span = NOTHING,
  ) {}
}

const NOTHING = constant("");

/** Of two that begin alike, the longer first. */
export const SECRET_FORMS: SecretForm[] = [
  new SecretForm(constant("sk-ant-"), Body.Words, 80, 130),
  new SecretForm(constant("sk-or-v1-"), Body.LowerHex, 64, 64),
  new SecretForm(constant("sk-"), Body.Words, 48, 170, constant("T3BlbkFJ")),
  new SecretForm(constant("AIza"), Body.Words, 35, 35),
  new SecretForm(constant("AKIA"), Body.Base32, 16, 16),
  new SecretForm(constant("ASIA"), Body.Base32, 16, 16),
  new SecretForm(constant("ABIA"), Body.Base32, 16, 16),
  new SecretForm(constant("ACCA"), Body.Base32, 16, 16),
  new SecretForm(constant("ABSK"), Body.Base64, 109, 269),
  new SecretForm(constant("bedrock-api-key-"), Body.Base64, 40, 2000),
  new SecretForm(constant("ghp_"), Body.Alphanumeric, 36, 36),
  new SecretForm(constant("gho_"), Body.Alphanumeric, 36, 36),
  new SecretForm(constant("ghu_"), Body.Alphanumeric, 36, 36),
  new SecretForm(constant("ghs_"), Body.Alphanumeric, 36, 36),
  new SecretForm(constant("ghr_"), Body.Alphanumeric, 36, 36),
  new SecretForm(constant("github_pat_"), Body.Words, 82, 82),
  new SecretForm(constant("glpat-"), Body.Dotted, 20, 320),
  new SecretForm(constant("gldt-"), Body.Words, 20, 320),
  new SecretForm(constant("glrt-"), Body.Words, 20, 320),
  new SecretForm(constant("glptt-"), Body.LowerHex, 40, 40),
  new SecretForm(constant("glcbt-"), Body.Words, 20, 320),
  new SecretForm(constant("gloas-"), Body.Words, 64, 64),
  new SecretForm(constant("glagent-"), Body.Words, 50, 50),
  new SecretForm(constant("glsoat-"), Body.Words, 20, 20),
  new SecretForm(constant("xoxb-"), Body.Words, 30, 120),
  new SecretForm(constant("xoxp-"), Body.Words, 30, 120),
  new SecretForm(constant("xoxa-"), Body.Words, 30, 250),
  new SecretForm(constant("xoxr-"), Body.Words, 30, 250),
  new SecretForm(constant("xoxs-"), Body.Words, 30, 120),
  new SecretForm(constant("xapp-"), Body.Words, 30, 150),
  new SecretForm(constant("sk_live_"), Body.Alphanumeric, 10, 99),
  new SecretForm(constant("sk_test_"), Body.Alphanumeric, 10, 99),
  new SecretForm(constant("rk_live_"), Body.Alphanumeric, 10, 99),
  new SecretForm(constant("rk_test_"), Body.Alphanumeric, 10, 99),
  new SecretForm(constant("npm_"), Body.Alphanumeric, 36, 36),
  new SecretForm(constant("pypi-AgEIcHlwaS5vcmc"), Body.Words, 50, 1000),
  new SecretForm(constant("hf_"), Body.Alphanumeric, 34, 34),
  new SecretForm(constant("rubygems_"), Body.LowerHex, 48, 48),
  new SecretForm(constant("SG."), Body.Dotted, 66, 66),
  new SecretForm(constant("dop_v1_"), Body.LowerHex, 64, 64),
  new SecretForm(constant("doo_v1_"), Body.LowerHex, 64, 64),
  new SecretForm(constant("dor_v1_"), Body.LowerHex, 64, 64),
  new SecretForm(constant("shpat_"), Body.Alphanumeric, 32, 32),
  new SecretForm(constant("shpca_"), Body.Alphanumeric, 32, 32),
  new SecretForm(constant("shppa_"), Body.Alphanumeric, 32, 32),
  new SecretForm(constant("shpss_"), Body.Alphanumeric, 32, 32),
  new SecretForm(constant("dapi"), Body.LowerHex, 32, 32),
  new SecretForm(constant("hvs."), Body.Words, 90, 120),
  new SecretForm(constant("glsa_"), Body.Words, 41, 41),
  new SecretForm(constant("glc_"), Body.Base64, 32, 400),
  new SecretForm(constant("pplx-"), Body.Alphanumeric, 48, 48),
  new SecretForm(constant("PMAK-"), Body.Words, 59, 59),
  new SecretForm(constant("ntn_"), Body.Alphanumeric, 46, 46),
  new SecretForm(constant("lin_api_"), Body.Alphanumeric, 40, 40),
  new SecretForm(constant("ATATT3"), Body.Base64, 186, 186),
  new SecretForm(constant("AGE-SECRET-KEY-1"), Body.Alphanumeric, 58, 58),
  new SecretForm(constant("sntrys_"), Body.Base64, 80, 400),
];

/** The longest form but tokens and private keys. Bytes. */
export const MAX_SECRET: u32 = 2016;

/** @param at of the first letter */
export function findSecret(window: TextWindow, at: u32): bool {
  if (!isFree(window, at)) return false;
  for (let i = 0; i < SECRET_FORMS.length; i++) {
    const form = unchecked(SECRET_FORMS[i]);
    const beginning = form.beginning;
    if (byteAt(beginning.pointer) != window.at(at)) continue;
    const left = window.end - at;
    if (left < beginning.length) {
      if (
        startsWith(beginning.pointer, beginning.length, window.view(at, left)) &&
        window.isCut(at, window.end)
      )
        return false;
      continue;
    }
    if (!startsWith(window.base + at, left, beginning)) continue;
    if (hasBody(window, at, form)) return true;
    if (window.open != NOWHERE) return false;
  }
  return window.at(at) == 0x65 && findToken(window, at);
}

/** A letter or sign of a key before it would be a part of a longer text. */
function isFree(window: TextWindow, at: u32): bool {
  return window.isStart(at) && (at == 0 || byteAt(window.base, at - 1) != HYPHEN);
}

function hasBody(window: TextWindow, at: u32, form: SecretForm): bool {
  const from = at + form.beginning.length;
  let stop = from;
  while (stop - from <= form.most && isOfBody(window.at(stop), form.body)) stop++;
  if (window.isCut(at, stop + 1)) return false;
  const length = stop - from;
  if (length < form.least || length > form.most || isWord(window.at(stop))) return false;
  if (form.inside.length > 0 && !contains(window.base + from, length, form.inside)) return false;
  return window.found(GuardKind.Secret, at, stop);
}

function isOfBody(byte: u32, body: Body): bool {
  if (isDigit(byte)) return body != Body.Base32 || (byte > 0x31 && byte < 0x38);
  if (body == Body.LowerHex) return byte - 0x61 < 6;
  if (body == Body.Base32) return byte - 0x41 < 26;
  if (isLetter(byte)) return body != Body.Digits;
  if (body == Body.Alphanumeric || body == Body.Digits) return false;
  if (body == Body.Base64) return byte == 0x2b || byte == 0x2f || byte == 0x3d;
  return byte == 0x5f || byte == HYPHEN || (byte == DOT && body == Body.Dotted);
}

/** The parts of a JSON Web Token (RFC 7519), each at least so long. Bytes. */
const MIN_PART: u32 = 17;
const MIN_SIGNATURE: u32 = 10;
/** A part that is longer, in a stream, is decided by what there is of it. */
const MAX_PART: u32 = 4096;

/** `eyJ…`, `.`, `ey…`, `.`, a signature. */
function findToken(window: TextWindow, at: u32): bool {
  if (window.at(at + 1) != 0x79 || window.at(at + 2) != 0x4a) {
    window.isCut(at, at + 2);
    return false;
  }
  let stop = at;
  for (let part = 0; part < 3; part++) {
    const from = stop;
    while (stop - from < MAX_PART && isOfBody(window.at(stop), Body.Words)) stop++;
    if (window.isCut(at, stop + 1)) return false;
    if (stop - from < (part == 2 ? MIN_SIGNATURE : MIN_PART)) return false;
    if (part == 2) break;
    if (window.at(stop++) != DOT) return false;
    if (part == 0 && (window.at(stop) != 0x65 || window.at(stop + 1) != 0x79)) {
      window.isCut(at, stop + 1);
      return false;
    }
  }
  return window.found(GuardKind.Secret, at, stop);
}

const BEGIN = constant("-----BEGIN ");
const PRIVATE = constant("PRIVATE KEY");
const MARK = constant("-----");
/** `OPENSSH `, `RSA `, `ENCRYPTED `, …, and ` BLOCK` of OpenPGP. */
const MAX_NAME: u32 = 40;
/** A text that only names the marker has no such body. Bytes. */
const MIN_BODY: u32 = 64;

/** A private key in PEM (RFC 7468). In a stream it is found with its first bytes, and goes on (`keyEnd`). */
export function findPrivateKey(window: TextWindow, at: u32): bool {
  const left = window.end - at;
  if (left < BEGIN.length) {
    if (startsWith(BEGIN.pointer, BEGIN.length, window.view(at, left)))
      window.isCut(at, window.end);
    return false;
  }
  if (!startsWith(window.base + at, left, BEGIN)) return false;
  let index = at + BEGIN.length;
  const limit = index + MAX_NAME;
  let isPrivate = false;
  while (index < limit && window.at(index) != HYPHEN) {
    if (startsWith(window.base + index, window.end - min(index, window.end), PRIVATE))
      isPrivate = true;
    index++;
  }
  if (window.isCut(at, index + MARK.length + MIN_BODY)) return false;
  if (!isPrivate || !startsWith(window.base + index, window.end - min(index, window.end), MARK))
    return false;
  const from = index + MARK.length;
  const stop = keyEnd(window, from);
  if (stop - from < MIN_BODY) return false;
  return window.found(GuardKind.PrivateKey, at, stop);
}

/**
 * Returns where a private key ends of which the bytes from an index on are a part, and sets whether it goes on: then the bytes after
 * that place must come again with those that follow.
 */
export function keyEnd(window: TextWindow, from: u32): u32 {
  let index = from;
  window.isUnfinished = false;
  while (true) {
    while (index < window.end && isOfKey(window.at(index))) index++;
    if (isOver(window, index) || window.at(index) != HYPHEN || isOver(window, index + 1))
      return index;
    // `Proc-Type: 4,ENCRYPTED`, `DEK-Info: AES-256-CBC,…`
    if (!isLetter(window.at(index + 1)) && !isDigit(window.at(index + 1))) break;
    index++;
  }
  // `-----END … KEY-----`: signs, a name, signs.
  let stop = index;
  while (window.at(stop) == HYPHEN) stop++;
  const name = stop;
  while (stop - name < MAX_NAME && (isLetter(window.at(stop)) || window.at(stop) == 0x20)) stop++;
  while (stop - name < MAX_NAME + MARK.length && window.at(stop) == HYPHEN) stop++;
  return isOver(window, stop) && window.isUnfinished ? index : stop;
}

/** Returns whether there is no byte at an index, and sets whether there may be one later. */
function isOver(window: TextWindow, index: u32): bool {
  if (index < window.end) return false;
  window.isUnfinished = !window.isFinal;
  return true;
}

/** Base64, its line ends also as escapes, and the headers of encrypted keys. */
function isOfKey(byte: u32): bool {
  if (isLetter(byte) || isDigit(byte)) return true;
  if (byte == 0x2b || byte == 0x2f || byte == 0x3d || byte == 0x5c) return true;
  return byte == 0x0a || byte == 0x0d || byte == 0x20 || byte == 0x3a || byte == 0x2c;
}
