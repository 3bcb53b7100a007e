// What a provider ran in an earlier turn, for other formats: a call and its result, as if the client had run it.
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

const CODE_NAME = constant("code_execution");

/** The texts of results: of MCP tools, code, and errors. */
const TEXTS: StaticArray<Span> = [
  constant("text"),
  constant("stdout"),
  constant("stderr"),
  constant("logs"),
  constant("error_code"),
];

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

/** Adds the result of a call by its content: a string, an object or a list of objects. */
export function addHostedResult(
  tape: Tape,
  id: u32,
  content: u32,
  flags: u32,
  request: HubRequest,
): void {
  const result = request.addBlock(BLOCK_TOOL_RESULT, ROLE_USER);
  setId(result, tape, id);
  result.flags = flags;
  if (tape.isString(content)) request.addText(ROLE_USER, content);
  else if (tape.isArray(content)) {
    const end = tape.next(content);
    for (let item = tape.first(content); item < end; item = tape.next(item))
      addTexts(tape, item, request);
  } else addTexts(tape, content, request);
  request.addBlock(BLOCK_RESULT_END, ROLE_USER);
}

/** The ids of the gateway have a mark, which has a dot: not every API accepts it. */
function setId(block: Block, tape: Tape, id: u32): void {
  block.setId(tape, id);
  if (!startsWith(block.id, block.idLength, HOSTED_MARK)) return;
  block.id += HOSTED_MARK.length;
  block.idLength -= HOSTED_MARK.length;
}

function addTexts(tape: Tape, item: u32, request: HubRequest): void {
  for (let i = 0; i < TEXTS.length; i++) {
    const text = tape.member(item, unchecked(TEXTS[i]));
    if (tape.isString(text)) request.addText(ROLE_USER, text);
  }
}
