// Local responses of Envoy (no connection, a timeout, a body too large): the fault for each of Envoy's reasons, by the table
// contract/upstream-errors.ts.
import {
  Cause,
  RETRY_SECONDS,
  SEEN_BY_FILTER,
  UpstreamError,
} from "../../contract/upstream-errors";
import { Fault } from "../hub/faults/fault";
import { Target } from "../config/target";
import { property } from "../host/host";
import { constant } from "../bytes/text/bytes";
import { certificateNames, lastPart, verifierWords, words } from "./envoy-details";
import { ResetReason } from "./failed-attempts";

const VIA_UPSTREAM = "via_upstream";

/** Returns Envoy's reason for the response (source/docs: "Response Code Details"). */
export function responseDetails(): string {
  const details = property(constant("response\0code_details"));
  return String.UTF8.decodeUnsafe(details.pointer, details.length);
}

/** Returns whether the details are those of a provider's response. */
export function isFromProvider(details: string): bool {
  return details == VIA_UPSTREAM || details.length == 0;
}

/** Returns why the attempt of the current context had no response. */
export function resetReason(): ResetReason {
  return property(constant("upstream\0transport_failure_reason")).length > 0
    ? ResetReason.ConnectionFailure
    : ResetReason.Reset;
}

export function bodyTooLarge(): Fault {
  return upstreamFault(413, "", "", "");
}

/** Returns the fault for a local response with this status and these details. */
export function localResponseFault(status: u32, details: string, target: Target | null): Fault {
  const address =
    target === null
      ? ""
      : String.UTF8.decodeUnsafe(target.authority.pointer, target.authority.length);
  return upstreamFault(status, details, providerOf(target), address);
}

/** Returns the fault for a local response in place of one of the MCP server, which is a process of the gateway. */
export function toolServerFault(status: u32): Fault {
  return status == 504
    ? new Fault(504, "The tool call did not finish within the listener's timeout.")
    : new Fault(503, "The gateway's MCP server is being started; try again in 2 seconds.").after(
        RETRY_SECONDS,
      );
}

/** Returns the provider of a target, as the subject of a sentence. */
export function providerOf(target: Target | null): string {
  return target === null ? "The provider" : "The provider of '" + target.name + "'";
}

/** Returns the fault for a failed call. `subject`: the server, as a sentence begins; `address`: its address, or empty. */
export function upstreamFault(
  status: u32,
  details: string,
  subject: string,
  address: string,
): Fault {
  const row = rowOf(status, details);
  const values = new Values(details, subject, address, causeOf(row, details));
  const clientStatus = <u32>row.clientStatus;
  return new Fault(clientStatus == 0 ? status : clientStatus, filled(row.message, values))
    .coded(row.code)
    .after(<u32>row.retryAfter);
}

/** What a message may name. */
class Values {
  constructor(
    public details: string,
    public subject: string,
    public address: string,
    public cause: Cause | null,
  ) {}

  /** Returns the value of a name in braces. */
  get(name: string): string {
    const cause = this.cause;
    if (name == "Provider") return this.subject;
    if (name == "provider") return this.provider();
    if (name == "server") return this.server();
    if (name == "cause") return cause === null ? "" : filled(cause.clause, this);
    if (name == "advice") return cause === null ? "" : cause.advice;
    if (name == "names") return certificateNames(this.details);
    if (name == "verifier") return verifierWords(this.details);
    return name == "last" ? lastPart(this.details) : words(this.details);
  }

  /** Returns the provider in the middle of a sentence. */
  private provider(): string {
    return "t" + this.subject.substring(1);
  }

  /** Returns the provider and, if known, its address. */
  private server(): string {
    return this.address.length == 0 ? this.provider() : this.address + ", " + this.provider();
  }
}

/** Returns the message with the values of its names in braces. */
function filled(message: string, values: Values): string {
  let out = "";
  let at = 0;
  let open = message.indexOf("{");
  while (open >= 0) {
    const close = message.indexOf("}", open);
    out += message.substring(at, open) + values.get(message.substring(open + 1, close));
    at = close + 1;
    open = message.indexOf("{", at);
  }
  return out + message.substring(at);
}

/** Returns the first row that matches; the last one always does. */
function rowOf(status: u32, details: string): UpstreamError {
  const last = SEEN_BY_FILTER.length - 1;
  for (let i = 0; i < last; i++) {
    const row = SEEN_BY_FILTER[i];
    const isStatus = row.status == 0 || <u32>row.status == status;
    if (isStatus && isMatch(row.details, details)) return row;
  }
  return SEEN_BY_FILTER[last];
}

/** Returns whether the details match: `text`, `text*` or `*text*`. */
function isMatch(pattern: string, details: string): bool {
  if (!pattern.endsWith("*")) return details == pattern;
  if (pattern.startsWith("*")) return details.includes(pattern.slice(1, -1));
  return details.startsWith(pattern.slice(0, -1));
}

function causeOf(row: UpstreamError, details: string): Cause | null {
  const causes = row.causes;
  for (let i = 0; i < causes.length; i++) {
    if (details.includes(causes[i].text)) return causes[i];
  }
  return null;
}
