// Where an event of a stream has parts of longer texts: each dialect marks them (`ClientDialect.markTexts`). Every other string of an
// event is a whole.

/** Ends the texts of all groups. */
export const ALL_GROUPS: u32 = 0xffffffff;

export abstract class EventTexts {
  /**
   * A string is the next part of a text. Marked in the order of the event.
   * @param group the choice, block or item that the text is of
   * @param name distinguishes the texts of a group
   * @param isJson whether the text is JSON, whose strings are escaped again
   * @param isCall whether it is what a tool is called with: the calls of a group may come in turns, all other texts are over when
   * another one of their group begins
   */
  abstract part(node: u32, group: u32, name: u32, isJson: bool, isCall: bool): void;

  /** The texts of a group end: with their parts in this event, which are marked after this, or before it. */
  abstract end(group: u32): void;
}
