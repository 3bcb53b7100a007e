// Reads the `prompt` member: prompt targets and the guard (model/filter-document/document.ts, `FilterPrompt`).
import { scan, SCAN_OK } from "../bytes/json/scan";
import { Tape } from "../bytes/json/tape";
import { constant, sameBytes, Span } from "../bytes/text/bytes";
import { findByte } from "../bytes/text/find";
import {
  bytesOf,
  escapedOf,
  integerOf,
  onlyKnownMembers,
  reportProblem,
  stringMember,
} from "./document";
import { Parameter, PathPiece, PromptConfig, PromptTarget } from "./prompt-target";
import { readHeaders } from "./read-headers";
import { pickRateLimits, readRateLimits } from "./read-rate-limits";

const OPEN: u32 = 0x7b;
const CLOSE: u32 = 0x7d;
const QUESTION: u32 = 0x3f;

/** Returns null if the document has neither targets nor a guard. */
export function readPrompt(
  tape: Tape,
  node: u32,
  environment: Map<string, string>,
): PromptConfig | null {
  if (!tape.isPresent(node)) return null;
  onlyKnownMembers(
    tape,
    node,
    constant(
      "cluster guard timeout_ms egress_timeout_ms tools zeroshot_members rate_limits targets",
    ),
  );
  const prompt = new PromptConfig();
  prompt.timeoutMs = <u32>integerOf(tape, tape.member(node, constant("timeout_ms")));
  prompt.egressTimeoutMs = <u32>integerOf(tape, tape.member(node, constant("egress_timeout_ms")));
  prompt.hasTools = tape.isTrue(tape.member(node, constant("tools")));
  const members = tape.member(node, constant("zeroshot_members"));
  if (tape.isString(members)) prompt.zeroshotMembers = bytesOf(tape, members);
  const guard = tape.member(node, constant("guard"));
  if (tape.isPresent(guard)) {
    onlyKnownMembers(tape, guard, constant("message fails_open on_ingress on_egress"));
    prompt.guardMessageJson = escapedOf(tape, tape.member(guard, constant("message")));
    if (!prompt.hasGuard()) reportProblem("the guard has no message");
    prompt.guardFailsOpen = tape.isTrue(tape.member(guard, constant("fails_open")));
    prompt.guardsIngress = tape.isTrue(tape.member(guard, constant("on_ingress")));
    prompt.guardsEgress = tape.isTrue(tape.member(guard, constant("on_egress")));
  }
  // Counted here, also if a service counts those of models: an API belongs to this gateway's configuration.
  prompt.rateLimits = readRateLimits(tape, tape.member(node, constant("rate_limits")), false);
  const list = tape.member(node, constant("targets"));
  const end = tape.next(list);
  for (let target = tape.first(list); target < end; target = tape.next(target)) {
    const read = readPromptTarget(tape, target, environment);
    pickRateLimits(
      tape,
      tape.member(target, constant("rate_limits")),
      prompt.rateLimits,
      read.rateLimits,
    );
    if (read.isDefault) prompt.defaultTarget = prompt.targets.length;
    prompt.targets.push(read);
  }
  return prompt;
}

function readPromptTarget(tape: Tape, node: u32, environment: Map<string, string>): PromptTarget {
  onlyKnownMembers(
    tape,
    node,
    constant(
      "name cluster authority method path headers parameters tool system_prompt is_default dispatches rate_limits",
    ),
  );
  const target = new PromptTarget();
  target.name = bytesMember(tape, node, constant("name"));
  target.cluster = bytesMember(tape, node, constant("cluster"));
  target.authority = bytesMember(tape, node, constant("authority"));
  target.tool = bytesMember(tape, node, constant("tool"));
  const method = stringMember(tape, node, constant("method"));
  target.isGet = method == "GET";
  if (!target.isGet && method != "POST") reportProblem("unknown method '" + method + "'");
  const prompt = tape.member(node, constant("system_prompt"));
  if (tape.isString(prompt)) target.systemPromptJson = escapedOf(tape, prompt);
  target.isDefault = tape.isTrue(tape.member(node, constant("is_default")));
  target.dispatches = tape.isTrue(tape.member(node, constant("dispatches")));
  readHeaders(
    tape,
    tape.member(node, constant("headers")),
    environment,
    target.headers,
    target.secrets,
  );
  const list = tape.member(node, constant("parameters"));
  const end = tape.next(list);
  for (let parameter = tape.first(list); parameter < end; parameter = tape.next(parameter)) {
    target.parameters.push(readParameter(tape, parameter));
  }
  readTemplate(target, bytesMember(tape, node, constant("path")));
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

function readParameter(tape: Tape, node: u32): Parameter {
  onlyKnownMembers(tape, node, constant("name required type in_path allow_slashes default_json"));
  const parameter = new Parameter();
  parameter.name = bytesMember(tape, node, constant("name"));
  parameter.isInPath = tape.isTrue(tape.member(node, constant("in_path")));
  parameter.allowsSlashes = tape.isTrue(tape.member(node, constant("allow_slashes")));
  const fallback = tape.member(node, constant("default_json"));
  if (tape.isString(fallback)) {
    parameter.defaultJson = bytesOf(tape, fallback);
    parameter.defaultText = plainTextOf(parameter.defaultJson);
  }
  return parameter;
}

function bytesMember(tape: Tape, object: u32, name: Span): Span {
  const node = tape.member(object, name);
  if (!tape.isString(node)) reportProblem("'" + name.toText() + "' must be a string");
  return bytesOf(tape, node);
}

/** Returns the text of a JSON string, or any other JSON value as it is. */
function plainTextOf(json: Span): Span {
  const tape = new Tape();
  const isString = scan(tape, json.pointer, json.length) == SCAN_OK && tape.isString(0);
  const text = isString ? bytesOf(tape, 0) : json;
  tape.release();
  return text;
}
