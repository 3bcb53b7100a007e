// Requests an access token from the identity provider of a cloud, once. The vendors' libraries are loaded when a
// configuration needs them.
import type { Environment } from "../report/environment.ts";
import type { TokenSource } from "../../model/cloud-credentials.ts";
import { mintEntraToken } from "./entra-id-token.ts";
import { mintGoogleToken } from "./google-token.ts";
import { mintIbmToken } from "./ibm-iam.ts";
import type { Mint, MintedToken } from "./refresher.ts";

/** Longer than a slow identity provider takes. */
const MAX_MS = 20_000;

/** Returns the function that requests the tokens of a source. */
export function minter(source: TokenSource, environment: Environment): Mint {
  const request = (): Promise<MintedToken> => mint(source, environment);
  return () => Promise.race([request(), timeout()]);
}

function mint(source: TokenSource, environment: Environment): Promise<MintedToken> {
  switch (source.type) {
    case "google":
      return mintGoogleToken(source);
    case "entra_id":
      return mintEntraToken(source, environment);
    case "ibm_iam":
      return mintIbmToken(source, environment);
  }
}

function timeout(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => {
      reject(new Error(`no response within ${String(MAX_MS / 1000)} s`));
    }, MAX_MS).unref();
  });
}
