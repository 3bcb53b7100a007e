// One at a time: large results are read, parsed and written one after the other, so that prompts of other clients get the model
// server in between.

/** Ends a turn; the next one begins in another round of the event loop. */
export type EndTurn = () => void;

/** Returns a function that waits for the caller's turn, in the order of the calls. */
export function newTurns(): () => Promise<EndTurn> {
  let last = Promise.resolve();
  return async () => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    last = promise.then(() => undefined);
    await before;
    return () => {
      setImmediate(resolve, undefined);
    };
  };
}
