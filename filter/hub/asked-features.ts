// The features that a request asks for and its target supports: the client's values, for the request writer.
import { takeBlock } from "../memory/blocks";
import { NO_NODE } from "../bytes/json/tape";
import { Feature, featureCount } from "./feature";

@unmanaged
export class AskedFeatures {
  /** A node of the client's body for each feature; NO_NODE if the request does not ask for it. */
  private nodes: usize = 0;
  isEmpty: bool = true;

  /** Forgets all of them. */
  clear(): void {
    const size = <usize>featureCount * 4;
    // Not in the constructor: the list of features may be made after the first request object.
    if (this.nodes == 0) {
      this.nodes = takeBlock(size);
      this.isEmpty = false;
    }
    // NO_NODE is all ones.
    if (!this.isEmpty) memory.fill(this.nodes, 0xff, size);
    this.isEmpty = true;
  }

  set(feature: Feature, node: u32): void {
    if (node == NO_NODE) return;
    this.isEmpty = false;
    store<u32>(this.nodes + <usize>feature.index * 4, node);
  }

  /** Returns the client's value; NO_NODE if there is none. */
  node(feature: Feature): u32 {
    return load<u32>(this.nodes + <usize>feature.index * 4);
  }
}
