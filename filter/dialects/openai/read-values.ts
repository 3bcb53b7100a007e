// Reads members that mean the same in both of OpenAI's APIs.
import * as feature from "../../hub/request/features";
import {
  CHOICE_ANY,
  CHOICE_AUTO,
  CHOICE_NONE,
  CHOICE_UNSET,
  HubRequest,
  SERVICE_FAST,
  SERVICE_STANDARD,
} from "../../hub/request/request";
import { RequestReport } from "../../hub/request/request-report";
import { NO_NODE, Tape } from "../../bytes/json/tape";
import { constant } from "../../bytes/text/bytes";

const AUTO = constant("auto");

/** Reads who the end user is: `user`, else `safety_identifier`, else `metadata.user_id`; other metadata is dropped. */
export function readUser(
  tape: Tape,
  user: u32,
  safetyIdentifier: u32,
  metadata: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  request.user = tape.isString(user) ? user : safetyIdentifier;
  if (!tape.isObject(metadata)) return;
  if (report.supports(feature.METADATA)) {
    request.features.set(feature.METADATA, metadata);
    return;
  }
  const end = tape.next(metadata);
  for (let key = tape.first(metadata); key < end; key = tape.next(key + 1)) {
    if (tape.equals(key, constant("user_id")) && !tape.isString(request.user))
      request.user = key + 1;
    else report.dropUnknown(constant("metadata."), tape, key);
  }
}

/**
 * Reads `service_tier`; `priority` and `fast` are one.
 * @see https://platform.claude.com/docs/en/api/service-tiers
 * @see https://developers.openai.com/api/docs/guides/fast-mode
 */
export function readTier(tape: Tape, node: u32, request: HubRequest, report: RequestReport): void {
  if (tape.equals(node, constant("default"))) {
    request.serviceTier = SERVICE_STANDARD;
    return;
  }
  const isFast = tape.equals(node, constant("fast")) || tape.equals(node, constant("priority"));
  if (isFast) request.serviceTier = SERVICE_FAST;
  if (report.supports(feature.SERVICE_TIERS)) request.features.set(feature.SERVICE_TIERS, node);
  else if (tape.isPresent(node) && !tape.equals(node, AUTO) && !isFast)
    report.drop(constant("service_tier"));
}

/** Returns the node of a schema's name, NO_NODE if it has none. */
export function nameOf(tape: Tape, node: u32): u32 {
  return tape.isString(node) && tape.size(node) > 0 ? node : NO_NODE;
}

/** Returns the CHOICE_ of a word; CHOICE_UNSET for any other value. */
export function choiceOf(tape: Tape, node: u32): i32 {
  if (tape.equals(node, AUTO)) return CHOICE_AUTO;
  if (tape.equals(node, constant("none"))) return CHOICE_NONE;
  return tape.equals(node, constant("required")) ? CHOICE_ANY : CHOICE_UNSET;
}
