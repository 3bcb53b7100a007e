// Results for the latest texts: the steps of a prompt read the same text again and again.

const REMEMBERED = 64;

/** Returns the same function, which computes the result of a recent text once. */
export function rememberLatest<Result>(
  compute: (text: string) => Result,
): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    const result = known.has(text) ? (known.get(text) as Result) : compute(text);
    known.delete(text);
    known.set(text, result);
    const oldest = known.keys().next();
    if (known.size > REMEMBERED && oldest.done !== true) known.delete(oldest.value);
    return result;
  };
}
