// What a request is for: the rows of contract/endpoints.ts, in the form that the request path needs.
import { DialectRow } from "../../contract/dialects";
import { EndpointRow, ENDPOINTS as ROWS } from "../../contract/endpoints";
import { Target } from "../config/target";
import { ClientDialect } from "../dialects/client-dialect";
import { asClientDialect, defaultDialect, dialectByName } from "../dialects/dialect-registry";
import { byteAt, isDigit, isLetter, startsWith } from "../bytes/text/at";
import { constant, sameBytes, Span } from "../bytes/text/bytes";

const SLASH: u32 = 0x2f;

const METHOD_NAMES: string[] = ["POST", "GET", "HEAD", "DELETE"];
const METHODS: Span[] = [constant("POST"), constant("GET"), constant("HEAD"), constant("DELETE")];

export class Endpoint {
  path: Span;
  /** The same after the base path of a provider: `/embeddings`. */
  suffix: Span;
  /** The word of OpenTelemetry's conventions; empty if it has none. */
  operation: Span;
  dialect: ClientDialect;
  counterpart: Endpoint | null = null;

  constructor(public row: EndpointRow) {
    this.path = constant(row.path);
    this.suffix = constant(row.path.substring(row.dialect.basePath.length));
    this.operation = constant(row.operation);
    this.dialect = dialectOf(row.dialect);
    const counterpart = row.counterpart;
    if (counterpart !== null) this.counterpart = new Endpoint(counterpart);
  }

  /** Returns the value of the `allow` header. */
  get allow(): string {
    return this.row.methods.join(", ") + ", OPTIONS";
  }

  allows(method: Span): bool {
    const methods = this.row.methods;
    for (let i = 0; i < METHODS.length; i++) {
      const known = unchecked(METHODS[i]);
      if (sameBytes(method.pointer, method.length, known.pointer, known.length))
        return methods.includes(unchecked(METHOD_NAMES[i]));
    }
    return false;
  }

  /** Returns whether the request reads or uses models: then a listener's key or origin is checked. */
  isForModels(method: Span): bool {
    return this.row.isForModels && this.allows(method);
  }

  /**
   * Returns the target in a dialect whose providers serve it; null if its provider does not support any of them. A cloud serves
   * messages, and counts their tokens.
   */
  servingTarget(target: Target): Target | null {
    const dialects = this.row.servedBy;
    for (let i = 0; i < dialects.length; i++) {
      const dialect = dialectOf(dialects[i]);
      const found = target.forClient(dialect);
      if (found.dialect !== dialect) continue;
      return found.hosted === null || this.row.isEstimated ? found : null;
    }
    return null;
  }

  /** Returns the API of the providers that serve it, for messages. */
  get api(): string {
    const dialects = this.row.servedBy;
    return dialects.length > 0 ? dialectOf(dialects[0]).api : this.dialect.api;
  }

  /** Returns whether a path without its query is one of this endpoint. */
  has(path: Span, length: u32): bool {
    const own = this.path;
    if (length == own.length)
      return length > 0 && sameBytes(path.pointer, length, own.pointer, length);
    return (
      this.row.hasChildren &&
      length > own.length &&
      byteAt(path.pointer, own.length) == SLASH &&
      startsWith(path.pointer, length, own) &&
      (this.row.isLocal
        ? length > own.length + 1
        : isPlain(path.pointer + own.length, length - own.length))
    );
  }
}

/** The endpoint of every path that is not served. */
export const UNKNOWN = new Endpoint(new EndpointRow());

export const ENDPOINTS: StaticArray<Endpoint> = StaticArray.fromArray(
  ROWS.map<Endpoint>((row) => new Endpoint(row)),
);

/** Returns the endpoint of a path without its query. */
export function endpointOf(path: Span, length: u32): Endpoint {
  for (let i = 0; i < ENDPOINTS.length; i++) {
    const endpoint = unchecked(ENDPOINTS[i]);
    if (endpoint.has(path, length)) return endpoint;
  }
  return UNKNOWN;
}

function dialectOf(row: DialectRow): ClientDialect {
  const dialect = dialectByName(row.name);
  return dialect === null ? defaultDialect() : asClientDialect(dialect);
}

/**
 * Returns whether the end of a path, which begins with a slash, is plain ids: with `..` or an escape it could become
 * another path of the provider.
 */
function isPlain(pointer: usize, length: u32): bool {
  let isBetween = false;
  for (let i: u32 = 0; i < length; i++) {
    const byte = byteAt(pointer, i);
    const isId = isLetter(byte) || isDigit(byte) || byte == 0x2d || byte == 0x5f || byte == 0x3a;
    // Neither a slash nor a dot follows another, or ends the path.
    if (!isId && ((byte != SLASH && byte != 0x2e) || (i > 0 && !isBetween))) return false;
    isBetween = isId;
  }
  return isBetween;
}
