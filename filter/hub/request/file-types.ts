// The types of files that clients send, by their media type and by the end of their name. One table for all dialects, of texts:
// a table of objects would be twice as large.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_VideoBlock.html
// @see https://developers.openai.com/api/docs/guides/file-inputs
import { byteAt, startsWithIgnoringCase } from "../../bytes/text/at";
import { constant, Span } from "../../bytes/text/bytes";

/** What kind of file it is: the first letter of a row. */
export const FILE_IMAGE: u32 = 0x69;
export const FILE_PDF: u32 = 0x70;
/** Texts in UTF-8. */
export const FILE_TEXT: u32 = 0x74;
/** Word, Excel and PowerPoint. */
export const FILE_OFFICE: u32 = 0x6f;
export const FILE_VIDEO: u32 = 0x76;

/** Kind, media type, end of a name, and the word of APIs that name formats instead of media types, if they have one. */
const ROWS: StaticArray<Span> = [
  constant("iimage/png .png png"),
  constant("iimage/jpeg .jpg jpeg"),
  constant("iimage/jpeg .jpeg jpeg"),
  constant("iimage/gif .gif gif"),
  constant("iimage/webp .webp webp"),
  constant("papplication/pdf .pdf pdf"),
  constant("ttext/plain .txt txt"),
  // Plain text to most APIs.
  constant("tapplication/json .json txt"),
  constant("ttext/markdown .md md"),
  constant("ttext/csv .csv csv"),
  constant("ttext/html .html html"),
  constant("oapplication/vnd.openxmlformats-officedocument.wordprocessingml.document .docx docx"),
  constant("oapplication/vnd.openxmlformats-officedocument.spreadsheetml.sheet .xlsx xlsx"),
  constant("oapplication/vnd.openxmlformats-officedocument.presentationml.presentation .pptx "),
  constant("oapplication/msword .doc doc"),
  constant("oapplication/vnd.ms-excel .xls xls"),
  constant("oapplication/vnd.ms-powerpoint .ppt "),
  constant("vvideo/mp4 .mp4 mp4"),
  constant("vvideo/quicktime .mov mov"),
  constant("vvideo/x-matroska .mkv mkv"),
  constant("vvideo/webm .webm webm"),
  constant("vvideo/x-flv .flv flv"),
  constant("vvideo/mpeg .mpeg mpeg"),
  constant("vvideo/x-ms-wmv .wmv wmv"),
  constant("vvideo/3gpp .3gp three_gp"),
];
const PLAIN = 6;
const SPACE: u32 = 0x20;

/** Valid until the next one is asked for. */
@unmanaged
export class FileType {
  kind: u32 = 0;
  mediaType: Span = new Span(0, 0);
  end: Span = new Span(0, 0);
  format: Span = new Span(0, 0);
}

const type = new FileType();

/** Returns the type of a media type; null if it is not known. Any other text is plain text. */
export function fileTypeOf(mediaType: usize, length: u32): FileType | null {
  for (let i = 0; i < ROWS.length; i++) {
    readRow(i);
    const known = type.mediaType;
    if (length == known.length && startsWithIgnoringCase(mediaType, length, known)) return type;
  }
  if (!startsWithIgnoringCase(mediaType, length, constant("text/"))) return null;
  readRow(PLAIN);
  return type;
}

/** Returns the type that the end of a name or URL stands for, or null. */
export function fileTypeOfName(name: usize, length: u32): FileType | null {
  for (let i = 0; i < ROWS.length; i++) {
    readRow(i);
    const end = type.end;
    const size = end.length;
    if (length > size && startsWithIgnoringCase(name + length - size, size, end)) return type;
  }
  return null;
}

function readRow(index: i32): void {
  const row = unchecked(ROWS[index]);
  type.kind = byteAt(row.pointer);
  const end = readWord(row, readWord(row, 1, type.mediaType), type.end);
  readWord(row, end, type.format);
}

/** Reads a word of a row at an offset. Returns the offset of the next one. */
function readWord(row: Span, start: u32, word: Span): u32 {
  let end = start;
  while (end < row.length && byteAt(row.pointer, end) != SPACE) end++;
  word.pointer = row.pointer + start;
  word.length = end - start;
  return end + 1;
}
