// Reads the members of one object of a request by its table: slots by their index; features are rejected or dropped here.
import { NodeTable } from "../../bytes/records";
import { Tape } from "../../bytes/json/tape";
import { AskedFeatures } from "./asked-features";
import { MemberTable } from "./member-table";
import { RequestReport } from "./request-report";

/** One per table, reused for all requests. */
@unmanaged
export class MemberReader {
  /** A node for each member of the table. */
  private nodes: NodeTable;
  /** Whether one of them is the value of a feature: few requests ask for any. */
  private hasFeatures: bool = false;

  constructor(private table: MemberTable) {
    this.nodes = new NodeTable(table.count);
  }

  /** Reads an object; any other value has no members. */
  read(tape: Tape, object: u32, report: RequestReport): void {
    this.nodes.clear();
    this.hasFeatures = false;
    if (!tape.isObject(object)) return;
    const end = tape.nextOf(object);
    for (let key = object + 1; key < end; key = tape.nextOf(key + 1)) {
      const member = this.table.find(tape, key);
      if (member === null) {
        if (tape.isPresent(key + 1)) report.dropUnknown(this.table.prefix, tape, key);
        continue;
      }
      if (member.isIgnored()) continue;
      const feature = member.featureOf();
      if (feature !== null && member.isNeutral(tape, key + 1)) continue;
      if (feature === null || report.supports(feature)) {
        // The last of several with one name counts, as in every JSON parser in use.
        this.nodes.set(member.index, key + 1);
        if (feature !== null) this.hasFeatures = true;
      } else {
        report.rejectOrDrop(member, feature, this.table);
      }
    }
  }

  /** Returns the value of a slot or of a supported feature; NO_NODE if it is missing. */
  node(index: i32): u32 {
    return this.nodes.get(index);
  }

  /** Keeps the features that the request itself asks for, and that the target supports, for its writer. */
  keepFeatures(features: AskedFeatures): void {
    if (!this.hasFeatures) return;
    for (let i = 0; i < this.table.count; i++) {
      const feature = this.table.at(i).featureOf();
      if (feature !== null) features.set(feature, this.node(i));
    }
  }
}
