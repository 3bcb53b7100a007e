// Placeholders that this exchange has issued become the values again that they stand for. Only an end of a text is held that is the
// beginning of one.
import { ByteBuffer, constant } from "../../bytes/text/bytes";
import { contains, findByte } from "../../bytes/text/find";
import { IssuedPlaceholders } from "./issued-placeholders";
import { TextRule } from "./text-rule";

const OPEN: u32 = 0x3c;
/** `<` as some encoders of JSON write it, and the beginning of an escape in a string in a string, which an event may cut. */
const ESCAPED_OPEN = constant("\\u003");
const ESCAPE = constant("\\\\");

export class Restore extends TextRule {
  /** The index of the placeholder that was found. */
  private found: i32 = 0;

  constructor(private issued: IssuedPlaceholders) {
    super();
  }

  concerns(pointer: usize, length: u32, isEscaped: bool): bool {
    if (findByte(pointer, pointer + length, OPEN) != 0) return true;
    return (
      isEscaped && (contains(pointer, length, ESCAPED_OPEN) || contains(pointer, length, ESCAPE))
    );
  }

  next(pointer: usize, from: u32, length: u32, isFinal: bool): bool {
    const issued = this.issued;
    const end = pointer + length;
    this.open = length;
    for (let at = findByte(pointer + from, end, OPEN); at != 0; at = findByte(at + 1, end, OPEN)) {
      const left = <u32>(end - at);
      const match = issued.match(at, left);
      if (match >= 0) {
        this.found = match;
        this.start = <u32>(at - pointer);
        this.end = this.start + issued.lengthOf(match);
        return true;
      }
      if (!isFinal && issued.isBeginning(at, left)) {
        this.open = <u32>(at - pointer);
        return false;
      }
    }
    return false;
  }

  write(out: ByteBuffer): void {
    this.issued.writeValue(this.found, out);
  }
}
