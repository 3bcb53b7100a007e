// Reads the content of a chat message: a string, or parts of text, images and files.
// @see https://platform.openai.com/docs/guides/images-vision
// @see https://platform.openai.com/docs/guides/pdf-files
import { MemberReader } from "../../../../hub/request/member-reader";
import { readCacheBreakpoint } from "../../../../hub/request/cache-breakpoint";
import * as feature from "../../../../hub/request/features";
import { HubRequest, ROLE_ASSISTANT, ROLE_USER } from "../../../../hub/request/request";
import { readList } from "../../../../hub/request/read-list";
import {
  addAudio,
  addFile,
  addImage,
  addStoredFile,
  addVideo,
} from "../../../../hub/request/read-media";
import { RequestReport } from "../../../../hub/request/request-report";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";
import * as member from "../members";

const part = new MemberReader(member.part);
const image = new MemberReader(member.image);
const file = new MemberReader(member.file);

export function readContent(
  tape: Tape,
  node: u32,
  role: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  request.role = role;
  if (!tape.isPresent(node)) return;
  if (tape.isString(node)) request.addText(role, node);
  else if (tape.isArray(node)) readList(tape, node, constant("content"), request, report, readPart);
  else report.reject("content", "must be a string or a list of parts.");
}

function readPart(tape: Tape, item: u32, request: HubRequest, report: RequestReport): void {
  // Some clients write a text as a plain string among the parts.
  if (tape.isString(item)) {
    request.addText(request.role, item);
    return;
  }
  if (!tape.isObject(item)) {
    report.reject("", "must be an object with a 'type'.");
    return;
  }
  part.read(tape, item, report);
  if (report.fault !== null) return;
  const before = request.blocks.count;
  addPart(tape, request, report);
  if (request.blocks.count == before) return;
  readCacheBreakpoint(tape, part.node(member.PART_BREAKPOINT), request.block(before));
  request.block(before).setCache(tape, part.node(member.PART_CACHE));
}

function addPart(tape: Tape, request: HubRequest, report: RequestReport): void {
  const type = typeOf(tape, report);
  if (type == member.TYPE_TEXT) addText(tape, part.node(member.PART_TEXT), request, report);
  else if (type == member.TYPE_REFUSAL)
    addText(tape, part.node(member.PART_REFUSAL), request, report);
  else if (type == member.TYPE_THINKING && request.role == ROLE_ASSISTANT)
    request.addReasoning(part.node(member.PART_THINKING), part.node(member.PART_SIGNATURE));
  else if (type == member.TYPE_THINKING)
    report.reject("type", "may be thinking only in a message of the assistant.");
  else if (type == member.TYPE_IMAGE) readImage(tape, request, report);
  else if (type == member.TYPE_FILE) readFile(tape, request, report);
  else if (type == member.TYPE_AUDIO) readAudio(tape, request, report);
  else if (type == member.TYPE_VIDEO) readVideo(tape, request, report);
}

/** Returns the index of the part's type; -1 if it was rejected or dropped. */
function typeOf(tape: Tape, report: RequestReport): i32 {
  const type = part.node(member.PART_TYPE);
  const found = member.partType.find(tape, type);
  if (found === null) {
    const word = report.printable(tape, type);
    report.reject("type", "must be text, image_url or file, not '" + word + "'.");
    return -1;
  }
  const asked = found.featureOf();
  if (asked === null || report.supports(asked)) return found.index;
  report.rejectOrDropType(found, asked);
  return -1;
}

function addText(tape: Tape, node: u32, request: HubRequest, report: RequestReport): void {
  if (tape.isString(node)) request.addText(request.role, node);
  else report.reject("text", "must be a string.");
}

function readImage(tape: Tape, request: HubRequest, report: RequestReport): void {
  if (!isOfUser("images", request, report)) return;
  let node = part.node(member.PART_IMAGE);
  let detail = NO_NODE;
  if (tape.isObject(node)) {
    image.read(tape, node, report);
    if (report.supports(feature.IMAGE_DETAIL)) detail = image.node(member.IMAGE_DETAIL);
    node = image.node(member.IMAGE_URL);
  }
  if (!tape.isString(node)) {
    report.reject("image_url", "must be an object with a 'url'.");
    return;
  }
  const before = request.blocks.count;
  addImage(tape, node, "image_url", request, report);
  if (tape.isString(detail) && request.blocks.count > before)
    request.block(before).setId(tape, detail);
}

function readFile(tape: Tape, request: HubRequest, report: RequestReport): void {
  const node = part.node(member.PART_FILE);
  if (request.role != ROLE_USER || !tape.isObject(node)) {
    report.reject(
      "file",
      request.role == ROLE_USER
        ? "must be an object with 'file_data'."
        : "is supported only in messages of role user.",
    );
    return;
  }
  file.read(tape, node, report);
  if (report.fault !== null) return;
  const data = file.node(member.FILE_DATA);
  const id = file.node(member.FILE_ID);
  if (!tape.isString(data) && tape.isString(id)) {
    addStoredFile(tape, id, request);
  } else if (!tape.isString(data)) {
    report.reject("file.file_data", "must be a data: URL with the file in base64.");
  } else {
    addFile(tape, data, file.node(member.FILE_NAME), "file.file_data", request, report);
  }
}

function readAudio(tape: Tape, request: HubRequest, report: RequestReport): void {
  if (isOfUser("audio", request, report))
    addAudio(tape, part.node(member.PART_AUDIO), request, report);
}

function readVideo(tape: Tape, request: HubRequest, report: RequestReport): void {
  if (!isOfUser("videos", request, report)) return;
  const node = part.node(member.PART_VIDEO);
  let url = tape.isObject(node) ? NO_NODE : node;
  if (tape.isObject(node)) {
    for (let key = tape.first(node), end = tape.next(node); key < end; key = tape.next(key + 1)) {
      if (tape.equals(key, constant("url"))) url = key + 1;
      else if (tape.isPresent(key + 1))
        report.dropUnknown(constant("messages[].content[].video_url."), tape, key);
    }
  }
  if (tape.isString(url)) addVideo(tape, url, request, report);
  else report.reject("video_url", "must be an object with a 'url'.");
}

/** Rejects a part of another role, whose messages hold texts alone. */
function isOfUser(what: string, request: HubRequest, report: RequestReport): bool {
  if (request.role == ROLE_USER) return true;
  report.reject("type", `must be text: only messages of role user may hold ${what}.`);
  return false;
}
