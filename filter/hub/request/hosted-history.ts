// What a provider ran in an earlier turn, for other formats: a call and its result, as if the client had run it.
import { readTexts } from "../hosted-texts";
import { HOSTED_MARK } from "../reasoning-carrier";
import { Tape } from "../../bytes/json/tape";
import { startsWith } from "../../bytes/text/at";
import { constant, Span } from "../../bytes/text/bytes";
import {
  BLOCK_RESULT_END,
  BLOCK_TOOL_CALL,
  BLOCK_TOOL_RESULT,
  Block,
  HubRequest,
  ROLE_ASSISTANT,
  ROLE_USER,
} from "./request";
import { RequestReport } from "./request-report";

const CODE_NAME = constant("code_execution");

/** Adds a call by its nodes, and by its input as a block has it. `name`: code has none. */
export function addHostedCall(
  tape: Tape,
  id: u32,
  name: u32,
  text: usize,
  textLength: u32,
  flags: u32,
  request: HubRequest,
): void {
  const call = request.addBlock(BLOCK_TOOL_CALL, ROLE_ASSISTANT);
  setId(call, tape, id);
  if (tape.isString(name)) {
    call.setName(tape, name);
  } else {
    call.name = CODE_NAME.pointer;
    call.nameLength = CODE_NAME.length;
  }
  call.text = text;
  call.textLength = textLength;
  call.flags = flags;
}

/** Adds the result of a call by the texts of its content; anything else in it is dropped as `path`. */
export function addHostedResult(
  tape: Tape,
  id: u32,
  content: u32,
  flags: u32,
  path: Span,
  request: HubRequest,
  report: RequestReport,
): void {
  const result = request.addBlock(BLOCK_TOOL_RESULT, ROLE_USER);
  setId(result, tape, id);
  result.flags = flags;
  if (tape.isPresent(content) && !readTexts(tape, content, request)) report.drop(path);
  request.addBlock(BLOCK_RESULT_END, ROLE_USER);
}

/** The ids of the gateway have a mark, which has a dot: not every API accepts it. */
function setId(block: Block, tape: Tape, id: u32): void {
  block.setId(tape, id);
  if (!startsWith(block.id, block.idLength, HOSTED_MARK)) return;
  block.id += HOSTED_MARK.length;
  block.idLength -= HOSTED_MARK.length;
}
