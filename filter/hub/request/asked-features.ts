// The features that a request asks for and its target supports: the client's values, for the request writer.
import { NodeTable } from "../../bytes/records";
import { NO_NODE } from "../../bytes/json/tape";
import { Feature, featureCount } from "./feature";

export class AskedFeatures {
  /** A node of the client's body for each feature. Null until the first request: features may be created after it. */
  private nodes: NodeTable | null = null;
  isEmpty: bool = true;

  clear(): void {
    if (this.isEmpty) return;
    const nodes = this.nodes;
    if (nodes !== null) nodes.clear();
    this.isEmpty = true;
  }

  set(feature: Feature, node: u32): void {
    if (node == NO_NODE) return;
    let nodes = this.nodes;
    if (nodes === null) {
      nodes = new NodeTable(featureCount);
      this.nodes = nodes;
    }
    this.isEmpty = false;
    nodes.set(feature.index, node);
  }

  /** Returns the client's value; NO_NODE if there is none. */
  node(feature: Feature): u32 {
    const nodes = this.nodes;
    return nodes === null ? NO_NODE : nodes.get(feature.index);
  }
}
