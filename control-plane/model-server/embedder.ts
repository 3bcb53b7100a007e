// What every embedding model offers, whatever runs it.

export interface Embedding {
  /** Of length 1. */
  vector: Float32Array;
  /** How many tokens of the text the model read; 0 where it does not tell. */
  tokens: number;
}

export interface Embedder {
  /** What `model` says in answers. */
  readonly model: string;
  /** One for each text, in their order. Rejects with a ServerError, whose message can be shown. */
  embed: (texts: readonly string[]) => Promise<Embedding[]>;
  close: () => Promise<void>;
}
