// Removes items of a JSON list or object by edits, with the commas beside them.
import { Edits } from "../bytes/json/edit";
import { Tape } from "../bytes/json/tape";
import { constant } from "../bytes/text/bytes";

const NOTHING = constant("");

/** One list at a time: `begin`, then `item` for each of its items in order. */
export class ListEdit {
  private hasKept: bool = false;
  private lastEnd: u32 = 0;
  private end: u32 = 0;
  private isObject: bool = false;

  begin(tape: Tape, list: u32): void {
    this.hasKept = false;
    this.lastEnd = 0;
    this.end = tape.next(list);
    this.isObject = tape.isObject(list);
  }

  /** `node`: an item of the list, or the name of a member of the object. */
  item(tape: Tape, node: u32, isRemoved: bool, edits: Edits): void {
    const value = this.isObject ? node + 1 : node;
    const to = tape.outerEnd(value);
    if (!isRemoved) {
      this.hasKept = true;
    } else if (this.hasKept) {
      // After a kept item the comma before this one goes with it, else the comma after it.
      edits.replace(this.lastEnd, to, NOTHING);
    } else {
      const next = tape.next(value);
      edits.replace(tape.outerStart(node), next < this.end ? tape.outerStart(next) : to, NOTHING);
    }
    this.lastEnd = to;
  }
}
