// Reads the members of one object of a request by its table: slots by their index, features refused or listed on the way.
import { takeBlock } from "../memory/blocks";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { AskedFeatures } from "./asked-features";
import { MemberTable } from "./member-table";
import { RequestReport } from "./request-report";

/** One per table, reused for all requests. */
@unmanaged
export class MemberReader {
  /** A node for each member of the table. */
  private nodes: usize;

  constructor(private table: MemberTable) {
    this.nodes = takeBlock(<usize>table.count * 4);
  }

  /** Reads an object; any other value has no members. */
  read(tape: Tape, object: u32, report: RequestReport): void {
    // NO_NODE is all ones.
    memory.fill(this.nodes, 0xff, <usize>this.table.count * 4);
    if (!tape.isObject(object)) return;
    const end = tape.next(object);
    for (let key = tape.first(object); key < end; key = tape.next(key + 1)) {
      const member = this.table.find(tape, key);
      if (member === null) {
        if (tape.isPresent(key + 1)) report.dropUnknown(this.table.prefix, tape, key);
        continue;
      }
      if (member.isIgnored()) continue;
      const feature = member.featureOf();
      if (feature !== null && member.isNeutral(tape, key + 1)) continue;
      if (feature === null || report.supports(feature)) {
        // Of several with one name the last counts, as in every JSON parser in use.
        store<u32>(this.nodes + <usize>member.index * 4, key + 1);
      } else {
        report.missFeature(member, feature, this.table);
      }
    }
  }

  /** Returns the value of a slot or of a supported feature; NO_NODE if it is missing. */
  node(index: i32): u32 {
    if (index < 0 || index >= this.table.count) return NO_NODE;
    return load<u32>(this.nodes + <usize>index * 4);
  }

  /** Keeps the features that the request itself asks for, and that the target supports, for its writer. */
  keepFeatures(features: AskedFeatures): void {
    for (let i = 0; i < this.table.count; i++) {
      const feature = this.table.at(i).featureOf();
      if (feature !== null) features.set(feature, this.node(i));
    }
  }
}
