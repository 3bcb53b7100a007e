// The embedded model's table of word vectors, which the extractor shares: rows are read from its file when they are
// needed, because the table is in memory already, inside the embedded model's session.
import { closeSync, openSync, readFileSync, readSync } from "node:fs";

/** Numbers of a vector. */
export const WIDTH = 384;

export class WordVectors {
  readonly #file: number;
  /** Offset of the first row in the file. A row has a byte for each number, and a scale for all of them. */
  readonly #start: number;
  readonly #scales: Float32Array;
  readonly #row = new Int8Array(WIDTH);

  /** Opens the table of an ONNX file of `control-plane/download/model/convert.ts`. */
  constructor(file: string) {
    const model = readFileSync(file);
    this.#start = constantOf(model, "words").start;
    const scales = constantOf(model, "word_scales");
    // A copy: a view would keep the whole file in memory.
    this.#scales = new Float32Array(
      Uint8Array.from(model.subarray(scales.start, scales.end)).buffer,
    );
    this.#file = openSync(file, "r");
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Returns the vectors of the words, one after the other. */
  of(ids: readonly number[]): Float32Array {
    const vectors = new Float32Array(ids.length * WIDTH);
    ids.forEach((id, index) => {
      readSync(this.#file, this.#row, 0, WIDTH, this.#start + id * WIDTH);
      const scale = this.#scales[id] ?? 0;
      this.#row.forEach((byte, column) => {
        vectors[index * WIDTH + column] = byte * scale;
      });
    });
    return vectors;
  }
}

/** Returns where the bytes of a constant are: in protobuf, field 8 is its name, field 9 its bytes. */
function constantOf(model: Buffer, name: string): { start: number; end: number } {
  const marker = Buffer.concat([Buffer.of(0x42, name.length), Buffer.from(name), Buffer.of(0x4a)]);
  const found = model.indexOf(marker);
  if (found < 0) throw new Error(`the embedded model has no constant ${name}`);
  let start = found + marker.length;
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = model[start++] ?? 0;
    length += (byte & 127) * 2 ** shift;
    if (byte < 128) return { start, end: start + length };
  }
}
