// Reads the content of a message or of a tool's output: a string, or parts of text, images and files.
// @see https://platform.openai.com/docs/guides/images-vision
// @see https://platform.openai.com/docs/guides/pdf-files
import { readCacheBreakpoint } from "../../../../hub/request/cache-breakpoint";
import { MemberReader } from "../../../../hub/request/member-reader";
import { readList } from "../../../../hub/request/read-list";
import { addAudio, addFile, addImage } from "../../../../hub/request/read-media";
import { HubRequest, ROLE_USER } from "../../../../hub/request/request";
import { RequestReport } from "../../../../hub/request/request-report";
import { Tape } from "../../../../bytes/json/tape";
import { Span } from "../../../../bytes/text/bytes";
import * as member from "../members";

const part = new MemberReader(member.part);

/** `name`: the member that holds the content. */
export function readContent(
  tape: Tape,
  node: u32,
  name: Span,
  role: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  request.role = role;
  if (!tape.isPresent(node)) return;
  if (tape.isString(node)) request.addText(role, node);
  else if (tape.isArray(node)) readList(tape, node, name, request, report, readPart);
  else report.reject(name.toText(), "must be a string or a list of parts.");
}

export function readPart(tape: Tape, item: u32, request: HubRequest, report: RequestReport): void {
  if (!tape.isObject(item)) {
    report.reject("", "must be an object with a 'type'.");
    return;
  }
  const type = tape.member(item, member.part.at(member.PART_TYPE).name);
  const found = member.partType.find(tape, type);
  if (found === null) {
    if (tape.isString(type)) report.dropUnknown(member.partType.prefix, tape, type);
    else report.reject("type", "must be a string, such as input_text.");
    return;
  }
  const feature = found.featureOf();
  if (feature !== null && !report.supports(feature)) {
    report.rejectOrDropType(found, feature);
    return;
  }
  part.read(tape, item, report);
  if (report.fault !== null) return;
  const before = request.blocks.count;
  addPart(tape, found.index, request, report);
  if (request.blocks.count > before)
    readCacheBreakpoint(tape, part.node(member.PART_CACHE), request.block(before));
}

function addPart(tape: Tape, type: i32, request: HubRequest, report: RequestReport): void {
  if (
    type == member.TYPE_INPUT_IMAGE ||
    type == member.TYPE_SCREENSHOT ||
    type == member.TYPE_INPUT_FILE ||
    type == member.TYPE_INPUT_AUDIO
  ) {
    addMedia(tape, type, request, report);
    return;
  }
  const isRefusal = type == member.TYPE_REFUSAL;
  const text = part.node(isRefusal ? member.PART_REFUSAL : member.PART_TEXT);
  if (tape.isString(text)) request.addText(request.role, text);
  else report.reject(isRefusal ? "refusal" : "text", "must be a string.");
}

function addMedia(tape: Tape, type: i32, request: HubRequest, report: RequestReport): void {
  if (request.role != ROLE_USER) {
    report.reject("type", "must be a text: only messages of role user may hold images and files.");
    return;
  }
  if (type == member.TYPE_INPUT_IMAGE || type == member.TYPE_SCREENSHOT) {
    const url = part.node(member.PART_IMAGE);
    const before = request.blocks.count;
    if (tape.isString(url)) addImage(tape, url, "image_url", request, report);
    else report.reject("image_url", "must be a string: a URL, or a data: URL in base64.");
    const detail = part.node(member.PART_DETAIL);
    if (tape.isString(detail) && request.blocks.count > before)
      request.block(before).setId(tape, detail);
    return;
  }
  if (type == member.TYPE_INPUT_AUDIO) {
    addAudio(tape, part.node(member.PART_AUDIO), request, report);
    return;
  }
  const url = part.node(member.FILE_URL);
  const data = part.node(member.FILE_DATA);
  const title = part.node(member.FILE_NAME);
  if (tape.isString(data)) addFile(tape, data, title, "file_data", request, report);
  else if (tape.isString(url)) addFile(tape, url, title, "file_url", request, report);
  else report.reject("file_data", "must be a data: URL with the file in base64.");
}
