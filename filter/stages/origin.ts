// Stage: rejects the requests that a web page makes its visitor's browser send. A page of any site can send one to any
// address, 127.0.0.1 included, and would spend the operator's keys; browsers write the page's origin into every POST
// (https://fetch.spec.whatwg.org/#origin-header), other programs send none.
import { Fault } from "../hub/faults/fault";
import { Exchange } from "../exchange/exchange";
import { AUTHORITY, METHOD, ORIGIN } from "../exchange/request-head";
import { property } from "../host/host";
import { byteAt, startsWithIgnoringCase } from "../bytes/text/at";
import { constant, Span } from "../bytes/text/bytes";
import { Outcome, StageContext } from "./stage-context";

const LOCALHOST = constant("localhost");
const SCHEME_END = constant("://");

const page = new Span(0, 0);
const name = new Span(0, 0);

/** Of the requests for models or their list, on a listener without keys. */
export function checkOrigin(exchange: Exchange, context: StageContext): Outcome {
  const client = exchange.client;
  if (client.keys !== null || ORIGIN.length == 0) return Outcome.Next;
  if (!client.endpoint.isForModels(METHOD)) return Outcome.Next;
  if (isOwnHost() && !isRebound()) return Outcome.Next;
  return context.refuse(
    new Fault(
      403,
      "Requests from web pages of another origin require an API key: set 'api_keys' for this listener, and send one.",
    ),
  );
}

/** Returns whether the origin is the host of the request. `null`, the origin of sandboxed pages and files, is not. */
function isOwnHost(): bool {
  for (let i: u32 = 0; i + SCHEME_END.length < ORIGIN.length; i++) {
    if (!startsWithIgnoringCase(ORIGIN.pointer + i, ORIGIN.length - i, SCHEME_END)) continue;
    page.pointer = ORIGIN.pointer + i + SCHEME_END.length;
    page.length = ORIGIN.length - i - SCHEME_END.length;
    return (
      page.length == AUTHORITY.length &&
      startsWithIgnoringCase(page.pointer, page.length, AUTHORITY)
    );
  }
  return false;
}

/**
 * Returns whether the name of a page's own server has been rebound to this machine (DNS rebinding): the connection was made to a
 * loopback address, and the host is neither an IP address nor a name that only means loopback.
 */
function isRebound(): bool {
  readHostName();
  if (isAddress(name) || endsWith(name, constant(".localhost"))) return false;
  if (
    name.length == LOCALHOST.length &&
    startsWithIgnoringCase(name.pointer, name.length, LOCALHOST)
  )
    return false;
  const local = property(constant("destination\0address"));
  return (
    startsWithIgnoringCase(local.pointer, local.length, constant("127.")) ||
    startsWithIgnoringCase(local.pointer, local.length, constant("[::1]"))
  );
}

/** Points `name` at the host without its port. */
function readHostName(): void {
  name.pointer = AUTHORITY.pointer;
  name.length = AUTHORITY.length;
  for (let i = AUTHORITY.length; i > 0; i--) {
    const byte = byteAt(AUTHORITY.pointer, i - 1);
    if (byte == 0x3a) name.length = i - 1;
    if (byte - 0x30 >= 10) return;
  }
}

/** Returns whether a host is an IP address, which no name server can change. */
function isAddress(host: Span): bool {
  if (host.length > 0 && byteAt(host.pointer, 0) == 0x5b) return true;
  for (let i: u32 = 0; i < host.length; i++) {
    const byte = byteAt(host.pointer, i);
    if (byte != 0x2e && byte - 0x30 >= 10) return false;
  }
  return host.length > 0;
}

function endsWith(text: Span, end: Span): bool {
  if (text.length < end.length) return false;
  const rest = text.length - end.length;
  return startsWithIgnoringCase(text.pointer + rest, end.length, end);
}
