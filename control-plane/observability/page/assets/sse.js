// Reads server-sent events from pieces of text.

/** Returns a function that takes the next piece, and returns the JSON of the events that are complete with it. */
export function readEvents() {
  let rest = "";
  return (piece) => {
    const blocks = (rest + piece).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? "";
    return blocks.flatMap((block) => {
      const data = block
        .split(/\r?\n/)
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trimStart())
        .join("\n");
      try {
        return data === "" || data === "[DONE]" ? [] : [JSON.parse(data)];
      } catch {
        return [];
      }
    });
  };
}
