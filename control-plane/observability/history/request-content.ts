// The bodies of one request in access_content.log, for its story.
import {
  CONTENT_ID,
  CONTENT_IS_CUT,
  CONTENT_REQUEST,
  CONTENT_REQUEST_BYTES,
  CONTENT_RESPONSE,
} from "../../../contract/content-record.ts";
import { endOfLog, lastLines } from "../../log-files/log-files.ts";

/** Bytes that are searched, from the newest line back: the process does nothing else meanwhile. */
const MAX_SEARCHED = 256 * 1024 * 1024;

export interface RequestContent {
  request?: string;
  isRequestCut: boolean;
  response?: string;
  isResponseCut: boolean;
}

/** Returns the bodies of the request with an id; undefined if the log does not have them, or not in its newest part. */
export function contentOf(
  log: string,
  id: string,
  maxSearched = MAX_SEARCHED,
): RequestContent | undefined {
  const beginning = `"${CONTENT_ID}":${JSON.stringify(id)}`;
  let searched = 0;
  const isWanted = (line: string): boolean => {
    searched += line.length;
    // Ends the search: the line is not read below.
    return searched > maxSearched || line.includes(beginning);
  };
  const [line = ""] = lastLines(log, 1, isWanted, endOfLog(log));
  return line.includes(beginning) ? readContent(line) : undefined;
}

function readContent(line: string): RequestContent | undefined {
  try {
    const values = JSON.parse(line) as Record<string, unknown>;
    const request = values[CONTENT_REQUEST];
    const response = values[CONTENT_RESPONSE];
    return {
      ...(typeof request === "string" ? { request } : {}),
      isRequestCut: values[CONTENT_REQUEST_BYTES] !== undefined,
      ...(typeof response === "string" ? { response } : {}),
      isResponseCut: values[CONTENT_IS_CUT] !== undefined,
    };
  } catch {
    return undefined;
  }
}
