// Reads the lists of a request: messages and their contents, tools, tool calls.
import { Tape } from "../bytes/json/tape";
import { Span } from "../bytes/text/bytes";
import { HubRequest } from "./request";
import { RequestReport } from "./request-report";

/** Reads one item into the request, or rejects it in the report. */
export type ItemReader = (
  tape: Tape,
  item: u32,
  request: HubRequest,
  report: RequestReport,
) => void;

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
  for (let item = tape.first(list), end = tape.next(list); item < end; item = tape.next(item)) {
    report.nextItem();
    readItem(tape, item, request, report);
    if (report.fault !== null) return;
  }
  report.leaveList();
}
