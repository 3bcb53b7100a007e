// Reads the prompt targets and the guard (contract/filter-document.ts, Prompt).
import * as members from "../../contract/filter-document";
import { scan, SCAN_OK } from "../bytes/json/scan";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { constant, sameBytes, Span } from "../bytes/text/bytes";
import { findByte } from "../bytes/text/find";
import { bytesOf, Document } from "./document";
import { Parameter, PathPiece, PromptConfig, PromptTarget } from "./prompt-target";
import { RateLimit } from "./rate-limit-rule";
import { hasHeader, readHeaders } from "./read-headers";
import { readRateLimits } from "./read-rate-limits";
import { ProviderHeader } from "./target";

/** The index of `GET|POST`. */
const GET: i32 = 0;
const ACCEPT = constant("accept");
const OPEN: u32 = 0x7b;
const CLOSE: u32 = 0x7d;
const QUESTION: u32 = 0x3f;

/** Returns null if the document has neither targets nor a guard. */
export function readPrompt(from: Document, root: u32): PromptConfig | null {
  const node = from.member(root, constant(members.DOCUMENT_PROMPT));
  if (node == NO_NODE) return null;
  const prompt = new PromptConfig();
  prompt.timeoutMs = from.number(node, constant(members.PROMPT_TIMEOUT_MS));
  prompt.egressTimeoutMs = from.number(node, constant(members.PROMPT_EGRESS_TIMEOUT_MS));
  prompt.hasTools = from.flag(node, constant(members.PROMPT_TOOLS));
  prompt.zeroshotMembers = from.bytes(node, constant(members.PROMPT_ZEROSHOT_MEMBERS));
  const guard = from.member(node, constant(members.PROMPT_GUARD));
  if (guard != NO_NODE) {
    prompt.guardMessageJson = from.escaped(guard, constant(members.GUARD_MESSAGE));
    if (!prompt.hasGuard()) from.report("the guard has no message");
    prompt.guardFailsOpen = from.flag(guard, constant(members.GUARD_FAILS_OPEN));
    prompt.guardsIngress = from.flag(guard, constant(members.GUARD_ON_INGRESS));
    prompt.guardsEgress = from.flag(guard, constant(members.GUARD_ON_EGRESS));
  }
  // Counted here, also if a service counts those of models: an API belongs to this gateway's configuration.
  prompt.rateLimits = readRateLimits(from, node, constant(members.PROMPT_RATE_LIMITS), false);
  const list = from.items(node, constant(members.PROMPT_TARGETS));
  for (let i = 0; i < list.length; i++) {
    const target = readPromptTarget(from, list[i], prompt.rateLimits);
    if (target.isDefault) prompt.defaultTarget = i;
    prompt.targets.push(target);
  }
  return prompt;
}

function readPromptTarget(from: Document, node: u32, rateLimits: RateLimit[]): PromptTarget {
  const target = new PromptTarget();
  target.name = from.bytes(node, constant(members.API_NAME));
  target.cluster = from.bytes(node, constant(members.API_CLUSTER));
  target.authority = from.bytes(node, constant(members.API_AUTHORITY));
  target.tool = from.bytes(node, constant(members.API_TOOL));
  target.isGet = from.choice(node, constant(members.API_METHOD)) == GET;
  target.systemPromptJson = from.escaped(node, constant(members.API_SYSTEM_PROMPT));
  target.isDefault = from.flag(node, constant(members.API_IS_DEFAULT));
  target.dispatches = from.flag(node, constant(members.API_DISPATCHES));
  const headers = constant(members.API_HEADERS);
  readHeaders(from, node, headers, target.headers, target.secrets);
  if (!hasHeader(target.headers, ACCEPT))
    target.headers.push(new ProviderHeader(ACCEPT, constant("application/json")));
  const limits = constant(members.API_RATE_LIMITS);
  target.rateLimits = from.pick<RateLimit>(node, limits, rateLimits);
  const list = from.items(node, constant(members.API_PARAMETERS));
  for (let i = 0; i < list.length; i++) target.parameters.push(readParameter(from, list[i]));
  readTemplate(target, from.bytes(node, constant(members.API_PATH)));
  return target;
}

/** Splits the path template at the `{parameter}` placeholders. Braces around any other text are literal. */
function readTemplate(target: PromptTarget, template: Span): void {
  const end = template.pointer + template.length;
  const query = findByte(template.pointer, end, QUESTION);
  target.hasQuery = query != 0;
  let literal = template.pointer;
  let open = findByte(literal, end, OPEN);
  while (open != 0) {
    const close = findByte(open, end, CLOSE);
    if (close == 0) break;
    const parameter = findParameter(target.parameters, open + 1, close);
    if (parameter !== null) {
      parameter.isInPath = true;
      const span = new Span(literal, <u32>(open - literal));
      target.path.push(new PathPiece(span, parameter, query != 0 && query < open));
      literal = close + 1;
      open = close;
    }
    open = findByte(open + 1, end, OPEN);
  }
  target.path.push(new PathPiece(new Span(literal, <u32>(end - literal)), null, false));
}

function findParameter(parameters: Parameter[], name: usize, end: usize): Parameter | null {
  for (let i = 0; i < parameters.length; i++) {
    const known = parameters[i].name;
    if (sameBytes(known.pointer, known.length, name, <u32>(end - name))) return parameters[i];
  }
  return null;
}

function readParameter(from: Document, node: u32): Parameter {
  const parameter = new Parameter();
  parameter.name = from.bytes(node, constant(members.PARAMETER_NAME));
  parameter.isInPath = from.flag(node, constant(members.PARAMETER_IN_PATH));
  parameter.allowsSlashes = from.flag(node, constant(members.PARAMETER_ALLOW_SLASHES));
  if (from.has(node, constant(members.PARAMETER_DEFAULT_JSON))) {
    parameter.defaultJson = from.bytes(node, constant(members.PARAMETER_DEFAULT_JSON));
    parameter.defaultText = plainTextOf(parameter.defaultJson);
  }
  return parameter;
}

/** Returns the text of a JSON string, or any other JSON value as it is. */
function plainTextOf(json: Span): Span {
  const tape = new Tape();
  const isString = scan(tape, json.pointer, json.length) == SCAN_OK && tape.isString(0);
  const text = isString ? bytesOf(tape, 0) : json;
  tape.release();
  return text;
}
