// What becomes of the texts of a response: what is found in them, and what is written in its place.
import { Fault } from "../../hub/faults/fault";
import { ByteBuffer } from "../../bytes/text/bytes";

export abstract class TextRule {
  /** What `next` has found last: offsets in the text. */
  start: u32 = 0;
  end: u32 = 0;
  /** After `next` has found nothing more: from here on, what follows may make it something to find. The length if nothing may. */
  open: u32 = 0;
  /** Whether what was found goes on after the end of the text: `goesOn` then has to be asked about what follows. */
  isUnfinished: bool = false;
  /** How many bytes before a text it may look at. */
  context: u32 = 0;
  /** Whether a body that cannot be read must not pass. */
  isStrict: bool = false;
  /** Whether texts stay as they are, and are only looked at. */
  isSilent: bool = false;
  /** Whether words of the API, such as ids and signatures, are passed over. */
  skipsWords: bool = false;
  /** Whether the response may have to end, and whether it ends: it must not go on with what was found. */
  mayBlock: bool = false;
  isBlocked: bool = false;

  /** Returns false if a text, as it is in JSON, has nothing for this rule, whatever follows. */
  concerns(_pointer: usize, _length: u32, _isEscaped: bool): bool {
    return true;
  }

  /** Returns whether a text of which so many bytes are held is not even looked at before more of it has come. */
  waits(_isCall: bool, _length: u32): bool {
    return false;
  }

  /** Looks for the first thing that begins at or after an offset of a text in UTF-8. `isFinal`: nothing follows. */
  abstract next(pointer: usize, from: u32, length: u32, isFinal: bool): bool;

  /** Returns where what was found ends in the text that follows it, and sets `isUnfinished`. */
  goesOn(_pointer: usize, from: u32, _length: u32, _isFinal: bool): u32 {
    return from;
  }

  /** Returns the reason why a response ends. */
  fault(): Fault {
    return new Fault(502, "The gateway cannot read this response.");
  }

  /** Appends what stands in the place of what was found, as plain text. */
  abstract write(out: ByteBuffer): void;
}
