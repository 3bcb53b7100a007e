// Requests that a web page makes its visitor's browser send. A page of any site can send one to any address, 127.0.0.1
// included, and would spend the operator's keys; browsers write the page's origin into every POST
// (https://fetch.spec.whatwg.org/#origin-header), other programs send none.
import { Fault } from "../hub/fault";
import { AUTHORITY, ORIGIN } from "../exchange/request-head";
import { property } from "../host/host";
import { constant, Span } from "../bytes/text/bytes";

const LOCAL_ADDRESS = constant("destination\0address");
const IPV4_LOOPBACK = constant("127.");
const IPV6_LOOPBACK = constant("[::1]");
const LOCALHOST = constant("localhost");
const BELOW_LOCALHOST = constant(".localhost");
const SCHEME_END = constant("://");

const page = new Span(0, 0);
const name = new Span(0, 0);

/**
 * Returns why the request whose head was read last is refused on a listener without keys, or null: it comes from a page
 * of another origin than the gateway's own host.
 */
export function originFault(): Fault | null {
  if (ORIGIN.length == 0) return null;
  if (isOwnHost() && !isRebound()) return null;
  return new Fault(
    403,
    "Requests of web pages at another origin than this host need an API key: set 'api_keys' for this listener, and send one.",
  );
}

/** Whether the origin is the host that the browser asks. `null`, the origin of sandboxed pages and files, is not. */
function isOwnHost(): bool {
  for (let i: u32 = 0; i + SCHEME_END.length < ORIGIN.length; i++) {
    if (!startsWith(ORIGIN.pointer + i, ORIGIN.length - i, SCHEME_END)) continue;
    page.pointer = ORIGIN.pointer + i + SCHEME_END.length;
    page.length = ORIGIN.length - i - SCHEME_END.length;
    return page.length == AUTHORITY.length && startsWith(page.pointer, page.length, AUTHORITY);
  }
  return false;
}

/**
 * Whether the host is the name of a page's own server that has come to stand for this machine (DNS rebinding): the
 * connection was made to a loopback address, and the host is neither an IP address nor a name that only means loopback.
 */
function isRebound(): bool {
  readHostName();
  if (isAddress(name) || endsWith(name, BELOW_LOCALHOST)) return false;
  if (name.length == LOCALHOST.length && startsWith(name.pointer, name.length, LOCALHOST))
    return false;
  const local = property(LOCAL_ADDRESS);
  return (
    startsWith(local.pointer, local.length, IPV4_LOOPBACK) ||
    startsWith(local.pointer, local.length, IPV6_LOOPBACK)
  );
}

/** Points `name` at the host without its port. */
function readHostName(): void {
  name.pointer = AUTHORITY.pointer;
  name.length = AUTHORITY.length;
  for (let i = AUTHORITY.length; i > 0; i--) {
    const byte = <u32>load<u8>(AUTHORITY.pointer + i - 1);
    if (byte == 0x3a) name.length = i - 1;
    if (byte - 0x30 >= 10) return;
  }
}

/** Whether a host is an IP address, which no name server can change. */
function isAddress(host: Span): bool {
  if (host.length > 0 && load<u8>(host.pointer) == 0x5b) return true;
  for (let i: u32 = 0; i < host.length; i++) {
    const byte = <u32>load<u8>(host.pointer + i);
    if (byte != 0x2e && byte - 0x30 >= 10) return false;
  }
  return host.length > 0;
}

function endsWith(text: Span, end: Span): bool {
  if (text.length < end.length) return false;
  const rest = text.length - end.length;
  return startsWith(text.pointer + rest, end.length, end);
}

/** Whether a text begins with another one, in any case of ASCII letters. */
function startsWith(pointer: usize, length: u32, start: Span): bool {
  if (length < start.length) return false;
  for (let i: u32 = 0; i < start.length; i++) {
    if (lowerCase(load<u8>(pointer + i)) != lowerCase(load<u8>(start.pointer + i))) return false;
  }
  return true;
}

function lowerCase(byte: u32): u32 {
  return byte - 0x41 < 26 ? byte + 0x20 : byte;
}
