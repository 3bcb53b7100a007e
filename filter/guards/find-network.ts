// Credentials in URLs, IP addresses and MAC addresses.
import { byteAt, hexValue, isDigit } from "../bytes/text/at";
import { hasKind } from "./has-kind";
import { GuardKind } from "./kind-numbers";
import { isWord, TextWindow } from "./text-window";

const COLON: u32 = 0x3a;
const HYPHEN: u32 = 0x2d;
const SLASH: u32 = 0x2f;
const DOT: u32 = 0x2e;
const AT: u32 = 0x40;
/** Of a user and a password. Bytes. */
const MAX_CREDENTIALS: u32 = 512;

/** What has a colon. @param at of the first one */
export function findAtColon(window: TextWindow, kinds: u64, at: u32): bool {
  if (window.at(at + 1) == SLASH)
    return hasKind(kinds, GuardKind.UrlCredentials) && findUrlCredentials(window, at);
  if (hasKind(kinds, GuardKind.Mac) && at >= 2 && findMac(window, at - 2, COLON)) return true;
  return hasKind(kinds, GuardKind.Ip) && findLongAddress(window, at);
}

/** `://user:password@host`: found is what stands before the `@`. */
function findUrlCredentials(window: TextWindow, at: u32): bool {
  if (window.at(at + 2) != SLASH || at == 0 || !isWord(byteAt(window.base, at - 1))) return false;
  const start = at + 3;
  let colon: u32 = 0;
  let stop = start;
  for (; stop - start < MAX_CREDENTIALS; stop++) {
    const byte = window.at(stop);
    if (byte == COLON && colon == 0) colon = stop;
    if (byte == AT || isEndOfAuthority(byte)) break;
  }
  // What it begins with has to come again.
  if (window.isCut(at, stop + 1)) return false;
  if (window.at(stop) != AT || colon == 0 || stop - colon < 2 || !isWord(window.at(stop + 1)))
    return false;
  return !isVariable(window.at(colon + 1)) && window.found(GuardKind.UrlCredentials, start, stop);
}

function isEndOfAuthority(byte: u32): bool {
  if (byte <= 0x20 || byte == SLASH || byte == 0x5c || byte == 0x3f || byte == 0x23) return true;
  return byte == 0x22 || byte == 0x27 || byte == 0x60 || byte == 0x3c || byte == 0x3e;
}

/** `${PASSWORD}`, `{password}`, `[password]`, `***`, `%s`. */
function isVariable(byte: u32): bool {
  return byte == 0x24 || byte == 0x7b || byte == 0x5b || byte == 0x2a || byte == 0x25;
}

/** Six pairs of hexadecimal digits with the same sign between them. */
export function findMac(window: TextWindow, start: u32, sign: u32): bool {
  if (!window.isStart(start)) return false;
  for (let i: u32 = 0; i < 17; i++) {
    if (window.isCut(start, start + i)) return false;
    const byte = window.at(start + i);
    if (i % 3 == 2 ? byte != sign : hexValue(byte) > 15) return false;
  }
  if (window.isCut(start, start + 18)) return false;
  return (
    window.at(start + 17) != sign &&
    window.isStop(start + 17) &&
    window.found(GuardKind.Mac, start, start + 17)
  );
}

/** An address of the public Internet (RFC 6890). @param at of a digit without one before it */
export function findAddress(window: TextWindow, at: u32): bool {
  if (!window.isStart(at)) return false;
  let index = at;
  let address: u32 = 0;
  for (let part = 0; part < 4; part++) {
    if (part > 0 && window.at(index++) != DOT) {
      window.isCut(at, index - 1);
      return false;
    }
    let value: u32 = 0;
    const from = index;
    while (index - from < 3 && isDigit(window.at(index)))
      value = value * 10 + window.at(index++) - 0x30;
    if (window.isCut(at, index)) return false;
    if (index == from || value > 255 || (index - from > 1 && window.at(from) == 0x30)) return false;
    address = (address << 8) | value;
  }
  if (window.isCut(at, index + 1)) return false;
  // A network (`/24`) is no address of a person.
  if (window.at(index) == SLASH && isDigit(window.at(index + 1))) return false;
  return isPublic(address) && window.isStop(index) && window.found(GuardKind.Ip, at, index);
}

function isPublic(address: u32): bool {
  const first = address >> 24;
  const two = address >> 16;
  const three = address >> 8;
  if (first == 0 || first == 10 || first == 127 || first >= 224) return false;
  if (
    two == 0xa9fe ||
    two == 0xc0a8 ||
    two >> 4 == 0xac1 ||
    two >> 6 == 0x191 ||
    two >> 1 == 0x6309
  )
    return false;
  return three != 0xc00002 && three != 0xc63364 && three != 0xcb0071 && three != 0xc00000;
}

/** IPv6 (RFC 4291): eight groups, or fewer and `::`. @param colon the first one */
function findLongAddress(window: TextWindow, colon: u32): bool {
  const start = groupStart(window, colon);
  if (start == colon || !window.isStart(start)) return false;
  let index = start;
  let groups = 0;
  let gaps = 0;
  let digits: u32 = 0;
  while (true) {
    const from = index;
    while (index - from < 4 && hexValue(window.at(index)) < 16) {
      digits += u32(isDigit(window.at(index++)));
    }
    if (window.isCut(start, index + 2)) return false;
    if (index > from) groups++;
    if (groups == 8 || window.at(index) != COLON) break;
    if (window.at(index + 1) == COLON) {
      if (++gaps > 1) return false;
      index++;
      if (hexValue(window.at(index + 1)) > 15) {
        index++;
        break;
      }
    } else if (hexValue(window.at(index + 1)) > 15) break;
    index++;
  }
  if (window.isCut(start, index + 1)) return false;
  // `a::b` is also a name in C++.
  if (gaps == 0 ? groups != 8 : groups < 3 || digits < 3) return false;
  if (window.at(index) == COLON || !isPublicStart(window, start)) return false;
  return window.isStop(index) && window.found(GuardKind.Ip, start, index);
}

/** Returns where the hexadecimal digits before a colon begin. */
function groupStart(window: TextWindow, colon: u32): u32 {
  let start = colon;
  const limit = max(window.from, colon > 4 ? colon - 4 : 0);
  while (start > limit && hexValue(byteAt(window.base, start - 1)) < 16) start--;
  return start;
}

/** Neither link-local (fe80), nor unique local (fc, fd), nor for documentation (2001:db8), nor multicast (ff). */
function isPublicStart(window: TextWindow, start: u32): bool {
  const first = window.at(start) | 0x20;
  const second = window.at(start + 1) | 0x20;
  if (first == 0x66 && (second == 0x65 || second == 0x63 || second == 0x64 || second == 0x66))
    return false;
  return !(
    first == 0x32 &&
    window.at(start + 5) == 0x64 &&
    (window.at(start + 6) | 0x20) == 0x62 &&
    window.at(start + 7) == 0x38
  );
}

/** `aa-bb-…`. @param at of the first hyphen */
export function findHyphenMac(window: TextWindow, at: u32): bool {
  return at >= 2 && findMac(window, at - 2, HYPHEN);
}
