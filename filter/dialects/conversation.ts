// Where a request holds its conversation: what the steps of a prompt read of it, and add to it.
import { NO_NODE, Tape } from "../bytes/json/tape";
import { constant, Span } from "../bytes/text/bytes";

export class Conversation {
  /** The member of a request that lists the messages. */
  list: Span;
  /** What a text of the user begins with as a part of a content, up to the text. */
  textPart: Span;

  constructor(
    list: string,
    textPart: string,
    /** Whether a string in place of the list is a message of the user, and items that are no messages may be in it. */
    public isOfItems: bool,
  ) {
    this.list = constant(list);
    this.textPart = constant(textPart);
  }

  /** Returns the content of the user's last message, a string or a list of parts; NO_NODE if there is none. */
  lastUserContent(tape: Tape): u32 {
    const messages = tape.member(0, this.list);
    if (this.isOfItems && tape.isString(messages)) return messages;
    if (!tape.isArray(messages)) return NO_NODE;
    let last = NO_NODE;
    const end = tape.next(messages);
    for (let message = tape.first(messages); message < end; message = tape.next(message)) {
      if (tape.equals(tape.member(message, constant("role")), constant("user"))) last = message;
    }
    return tape.member(last, constant("content"));
  }
}
