// Reads the lists of a request: messages and their contents, tools, tool calls.
import { Tape } from "../../bytes/json/tape";
import { constant, Span } from "../../bytes/text/bytes";
import { HubRequest } from "./request";
import { RequestReport } from "./request-report";

/** Reads one item into the request, or rejects it in the report. */
type ItemReader = (tape: Tape, item: u32, request: HubRequest, report: RequestReport) => void;

/** Reads the items of a list, which may be missing, until one is rejected. `name`: the member that holds the list. */
export function readList(
  tape: Tape,
  list: u32,
  name: Span,
  request: HubRequest,
  report: RequestReport,
  readItem: ItemReader,
): void {
  if (!tape.isPresent(list)) return;
  if (!tape.isArray(list)) {
    report.reject(name.toText(), "must be a list.");
    return;
  }
  report.enterList(name);
  for (let item = tape.first(list), end = tape.next(list); item < end; item = tape.nextOf(item)) {
    report.nextItem();
    readItem(tape, item, request, report);
    if (report.fault !== null) return;
  }
  report.leaveList();
}

/** Reads the messages of a request, which must have at least one. */
export function readMessageList(
  tape: Tape,
  list: u32,
  request: HubRequest,
  report: RequestReport,
  readMessage: ItemReader,
): void {
  if (tape.isArray(list) && !tape.isEmpty(list))
    readList(tape, list, constant("messages"), request, report, readMessage);
  else report.reject("messages", "must be a list with at least one message.");
}
