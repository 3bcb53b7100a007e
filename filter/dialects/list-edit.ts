// Takes items out of a JSON list or object by edits, with the commas that stood for them.
import { Edits } from "../bytes/json/edit";
import { Span } from "../bytes/text/bytes";

const NOTHING = new Span(0, 0);

export class ListEdit {
  private hasKept: bool = false;
  private lastEnd: u32 = 0;

  begin(): void {
    this.hasKept = false;
    this.lastEnd = 0;
  }

  /** Every item in order: its offsets, and where the next one starts (its own end if it is the last). */
  item(start: u32, end: u32, nextStart: u32, isRemoved: bool, edits: Edits): void {
    if (!isRemoved) this.hasKept = true;
    // Behind a kept item the comma before goes with this one, else the comma behind.
    else if (this.hasKept) edits.replace(this.lastEnd, end, NOTHING);
    else edits.replace(start, nextStart, NOTHING);
    this.lastEnd = end;
  }
}
