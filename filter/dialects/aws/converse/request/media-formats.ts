// The formats of images and documents, by their media types.
import { Block } from "../../../../hub/request/request";
import { constant, sameBytes, Span } from "../../../../bytes/text/bytes";

@unmanaged
class Format {
  constructor(
    public mediaType: Span,
    public name: Span,
  ) {}
}

function format(mediaType: string, name: string): Format {
  return new Format(constant(mediaType), constant(name));
}

const OFFICE = "application/vnd.openxmlformats-officedocument.";

/** @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ImageBlock.html */
export const IMAGE_FORMATS: StaticArray<Format> = [
  format("image/png", "png"),
  format("image/jpeg", "jpeg"),
  format("image/gif", "gif"),
  format("image/webp", "webp"),
];

/** @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html */
export const DOCUMENT_FORMATS: StaticArray<Format> = [
  format("application/pdf", "pdf"),
  format("text/plain", "txt"),
  format("text/markdown", "md"),
  format("text/html", "html"),
  format("text/csv", "csv"),
  format("application/msword", "doc"),
  format(OFFICE + "wordprocessingml.document", "docx"),
  format("application/vnd.ms-excel", "xls"),
  format(OFFICE + "spreadsheetml.sheet", "xlsx"),
];

/** Returns the format of a block's media type, or null. */
export function formatOf(formats: StaticArray<Format>, block: Block): Span | null {
  for (let i = 0; i < formats.length; i++) {
    const candidate = unchecked(formats[i]);
    const type = candidate.mediaType;
    if (sameBytes(block.name, block.nameLength, type.pointer, type.length)) return candidate.name;
  }
  return null;
}
