// Sources that come before the text which they belong to: kept until it begins.
import { ByteBuffer } from "../../bytes/text/bytes";
import { Citation } from "./events";

export class WaitingCitations {
  /** URL, title and cited text of each, one after the other, and where each of them ends. */
  private texts: ByteBuffer = new ByteBuffer();
  private ends: Array<u32> = [];
  /** Place, index, start and end of each. */
  private places: Array<i64> = [];
  private citation: Citation = new Citation();

  get count(): i32 {
    return this.ends.length / 3;
  }

  add(citation: Citation): void {
    this.put(citation.url, citation.urlLength);
    this.put(citation.title, citation.titleLength);
    this.put(citation.cited, citation.citedLength);
    this.places.push(<i64>citation.place);
    this.places.push(citation.index);
    this.places.push(citation.from);
    this.places.push(citation.to);
  }

  /** Returns the citation at an index below `count`. It is valid until the next call. */
  at(index: i32): Citation {
    const citation = this.citation;
    const start = this.texts.pointer;
    const first = index * 3;
    const url = this.endOf(first - 1);
    const title = this.endOf(first);
    const cited = this.endOf(first + 1);
    citation.place = <i32>this.placeOf(index * 4);
    citation.index = this.placeOf(index * 4 + 1);
    citation.from = this.placeOf(index * 4 + 2);
    citation.to = this.placeOf(index * 4 + 3);
    citation.url = start + url;
    citation.urlLength = title - url;
    citation.title = start + title;
    citation.titleLength = cited - title;
    citation.cited = start + cited;
    citation.citedLength = this.endOf(first + 2) - cited;
    return citation;
  }

  clear(): void {
    this.texts.clear();
    this.ends.length = 0;
    this.places.length = 0;
  }

  release(): void {
    this.texts.release();
  }

  private put(pointer: usize, length: u32): void {
    this.texts.bytes(pointer, length);
    this.ends.push(this.texts.length);
  }

  private placeOf(at: i32): i64 {
    return at >= 0 && at < this.places.length ? this.places[at] : 0;
  }

  private endOf(index: i32): u32 {
    return index >= 0 && index < this.ends.length ? this.ends[index] : 0;
  }
}
