// Finds the output of a tool call, wherever it is in `input`. Providers that repeat an id use it in order: the first call of
// an id has its first output.
import { NO_NUMBER, TextTable } from "../../../../bytes/text-table";
import { Records } from "../../../../bytes/records";
import { Tape } from "../../../../bytes/json/tape";

/** The calls and outputs of one id. Outputs are numbers, one more than their index; 0 for none. */
@unmanaged
class CallId {
  first: u32;
  last: u32;
  calls: u32;
  /** Outputs that `isWithoutCall` was asked for. */
  seen: u32;
  /** Calls that `useOf` was asked for. */
  uses: u32;
}

@unmanaged
class Output {
  /** Index of the item. */
  item: u32;
  next: u32;
}

/** No item. */
export const NO_ITEM: u32 = 0xffffffff;

export class CallOutputs {
  private numbers: TextTable = new TextTable();
  private ids: Records<CallId> = new Records<CallId>();
  private outputs: Records<Output> = new Records<Output>();

  clear(): void {
    this.numbers.clear();
    this.ids.clear();
    this.outputs.clear();
  }

  addCall(tape: Tape, id: u32): void {
    const entry = this.entry(tape, id);
    if (entry !== null) entry.calls++;
  }

  addOutput(tape: Tape, id: u32, item: u32): void {
    const entry = this.entry(tape, id);
    const before = this.outputs.count;
    if (entry === null) return;
    const output = this.outputs.add();
    output.item = item;
    if (this.outputs.count == before) return;
    if (entry.first == 0) entry.first = this.outputs.count;
    else this.outputs.at(entry.last - 1).next = this.outputs.count;
    entry.last = this.outputs.count;
  }

  /** Returns the index of the item with the next output of an id; NO_ITEM if there is none. */
  take(tape: Tape, id: u32): u32 {
    const number = this.numbers.get(tape.pointer(id), tape.size(id));
    if (number >= this.ids.count) return NO_ITEM;
    const entry = this.ids.at(number);
    if (entry.first == 0) return NO_ITEM;
    const output = this.outputs.at(entry.first - 1);
    entry.first = output.next;
    return output.item;
  }

  /** Returns whether no call takes an output. To be asked once for each output, in order. */
  isWithoutCall(tape: Tape, id: u32): bool {
    const number = tape.isString(id)
      ? this.numbers.get(tape.pointer(id), tape.size(id))
      : NO_NUMBER;
    if (number >= this.ids.count) return true;
    const entry = this.ids.at(number);
    return entry.seen++ >= entry.calls;
  }

  /** Returns how many calls of an id there were before. To be asked once for each call, in order. */
  useOf(tape: Tape, id: u32): u32 {
    const number = this.numbers.get(tape.pointer(id), tape.size(id));
    return number < this.ids.count ? this.ids.at(number).uses++ : 0;
  }

  private entry(tape: Tape, id: u32): CallId | null {
    if (!tape.isString(id)) return null;
    const pointer = tape.pointer(id);
    const length = tape.size(id);
    const number = this.numbers.get(pointer, length);
    if (number < this.ids.count) return this.ids.at(number);
    const before = this.ids.count;
    const added = this.ids.add();
    if (this.ids.count == before || !this.numbers.set(pointer, length, before)) return null;
    return added;
  }
}
