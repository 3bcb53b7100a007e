// The word pieces of a text with their places in it, which the tokenizer does not give.
import type { WordTokenizer } from "../onnx-model.ts";
import type { Span } from "../text-span.ts";

export interface Piece extends Span {
  id: number;
}

/** As BERT's tokenizer splits: a sign alone, a Chinese character alone, else letters and digits together. */
const WORD =
  /[\p{P}$+<=>^`|~]|[\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff]|[^\s\p{P}$+<=>^`|~\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff]+/gu;

/** Returns at most `most` pieces of the text's start. */
export function piecesOf(tokenizer: WordTokenizer, text: string, most: number): Piece[] {
  const pieces: Piece[] = [];
  for (const match of text.matchAll(WORD)) {
    if (pieces.length >= most) break;
    const { letters, places } = normalised(match[0]);
    if (letters === "") continue;
    const { ids, tokens } = tokenizer.encode(match[0], { add_special_tokens: false });
    let at = 0;
    tokens.forEach((token, index) => {
      const isUnknown = token === "[UNK]";
      const length = isUnknown ? letters.length - at : token.replace(/^##/, "").length;
      const start = match.index + (places[at] ?? 0);
      at = Math.min(letters.length, at + length);
      const end = match.index + (places[at] ?? match[0].length);
      pieces.push({ id: ids[index] ?? 0, start, end });
    });
  }
  return pieces.slice(0, most);
}

/** Returns the lower-case letters without accents, and where in the word each is; the last place is the word's end. */
function normalised(word: string): { letters: string; places: number[] } {
  let letters = "";
  const places: number[] = [];
  let at = 0;
  for (const character of word) {
    const plain = character
      .toLowerCase()
      .normalize("NFD")
      .replace(/\p{Mn}/gu, "");
    places.push(...Array.from({ length: plain.length }, () => at));
    letters += plain;
    at += character.length;
  }
  places.push(at);
  return { letters, places };
}
