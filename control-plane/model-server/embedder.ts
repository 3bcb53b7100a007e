// The interface of every embedding model, independent of what runs it.

export interface Embedding {
  /** A vector of length 1. */
  vector: Float32Array;
  /** How many tokens of the text the model read; 0 if it does not report that. */
  tokens: number;
}

export interface Embedder {
  /** The value of `model` in responses. */
  readonly model: string;
  /** Returns one embedding for each text, in their order. Rejects with a ServerError, whose message can be shown. */
  embed: (texts: readonly string[]) => Promise<Embedding[]>;
  close: () => Promise<void>;
}
