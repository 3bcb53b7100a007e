// Who a request is of, for the rate limits that count for each session or each user.
import { hash64, spread } from "../bytes/text/hash";
import { HeldText } from "../bytes/text/held-text";
import { Span } from "../bytes/text/bytes";

/** The index of `session` in `session|user`. */
const SESSION: i32 = 0;
const NOBODY: u64 = 0;

export class Payer {
  /**
   * @param key the name of the client's key; empty without one
   * @param place stands for the session; 0 if the request has none that is of one conversation
   */
  constructor(
    private key: Span,
    private user: HeldText | null,
    private place: u64,
  ) {}

  /** Returns a hash of the session, or of the user; 0 if the request has none. Sessions of different keys with one id are apart. */
  hashOf(by: i32): u64 {
    const user = this.user;
    if (by != SESSION)
      return user === null ? NOBODY : max(hash64(user.pointer, user.length), NOBODY + 1);
    const key = this.key;
    const hash = spread(this.place ^ hash64(key.pointer, key.length));
    return this.place == 0 ? NOBODY : max(hash, NOBODY + 1);
  }
}
