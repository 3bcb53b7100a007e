// A number that all workers share, as a gauge of Envoy: to read it costs a tenth of reading shared data.
import * as abi from "./abi";
import { Span } from "../bytes/text/bytes";

const GAUGE: i32 = 1;
/** No number counts so far. */
export const UNKNOWN: u64 = u64.MAX_VALUE;

const CELL = memory.data(8);

export class SharedCounter {
  private id: u32 = 0;

  constructor(private name: Span) {}

  /** Returns the number; UNKNOWN if Envoy does not have it. */
  get value(): u64 {
    if (this.id == 0) this.define();
    return abi.proxy_get_metric(this.id, CELL) == 0 ? load<u64>(CELL) : UNKNOWN;
  }

  increment(): void {
    if (this.id == 0) this.define();
    abi.proxy_increment_metric(this.id, 1);
  }

  private define(): void {
    store<u32>(CELL, 0);
    abi.proxy_define_metric(GAUGE, this.name.pointer, this.name.length, CELL);
    this.id = load<u32>(CELL);
  }
}
