/** A part of a text. UTF-16 code units; `end` is the first one after it. */
export interface Span {
  start: number;
  end: number;
}
