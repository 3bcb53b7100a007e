// Where the keys of issuers are that have a discovery document. It is read at the start and now and then; what was read last is kept in
// the state directory, so that a gateway starts while the issuer does not respond.
import { readFileSync } from "node:fs";
import { throughDefault } from "../../model/proxy.ts";
import { discoveryUrl, keySetAt, type TokenIssuer } from "../../model/json-web-tokens.ts";
import type { GatewayModel, Listener } from "../../model/model.ts";
import { discoverKeySet } from "./discovery-document.ts";

/** Between two readings of a document, and while an issuer does not respond. */
const REFRESH_MS = 600_000;
const RETRY_MS = 5_000;

export interface KeySetPlacesOptions {
  /** Keeps what was read last. */
  file: string;
  writeFile: (file: string, text: string) => void;
  report: (line: string, level?: "warning") => void;
  /** Called when a key set has another place than before, or `problem` may have changed. */
  onChange: () => void;
  retryMs?: number;
}

export class KeySetPlaces {
  readonly #options: Required<KeySetPlacesOptions>;
  /** URLs of key sets by issuer. */
  readonly #places: Map<string, string>;
  /** Why an issuer's document was not read, at the last attempt. */
  readonly #problems = new Map<string, string>();
  #issuers: readonly string[] = [];
  #authorities: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #abort = new AbortController();

  constructor(options: KeySetPlacesOptions) {
    this.#options = { retryMs: RETRY_MS, ...options };
    this.#places = readPlaces(options.file);
  }

  /**
   * Activates a configuration. Resolves when the documents of its issuers have been read, or it is known that they cannot be.
   * @param authorities certificate authorities in PEM
   */
  async use(model: GatewayModel, authorities: string | undefined): Promise<void> {
    this.stop();
    this.#abort = new AbortController();
    this.#authorities = authorities;
    this.#issuers = [...new Set(issuersOf(model).map(({ issuer }) => issuer))];
    for (const known of [this.#problems, this.#places])
      for (const issuer of known.keys()) if (!this.#issuers.includes(issuer)) known.delete(issuer);
    if (this.#issuers.length > 0) await this.#read();
  }

  /** Returns the model with the places of key sets. An issuer whose place is not known has none. */
  placed(model: GatewayModel): GatewayModel {
    if (issuersOf(model).length === 0) return model;
    const place = (listener: Listener): Listener =>
      listener.tokens === undefined
        ? listener
        : { ...listener, tokens: listener.tokens.map((one) => this.#placed(one, model)) };
    return { ...model, ingress: place(model.ingress), egress: place(model.egress) };
  }

  /** Why tokens of an issuer are not accepted, as a sentence; undefined if they are. */
  get problem(): string | undefined {
    const issuer = this.#issuers.find((one) => !this.#places.has(one));
    return issuer === undefined
      ? undefined
      : `Tokens of ${issuer} are not accepted yet, because ${discoveryUrl(issuer)} has not been read (${this.#problems.get(issuer) ?? "no response"}).`;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  #placed(one: TokenIssuer, { proxy }: GatewayModel): TokenIssuer {
    const url = this.#places.get(one.issuer);
    if (one.isDiscovered !== true || url === undefined) return one;
    const keySet = keySetAt(new URL(url));
    return { ...one, keySet: { ...keySet, address: throughDefault(keySet.address, proxy) } };
  }

  async #read(): Promise<void> {
    const { signal } = this.#abort;
    const before = this.#state();
    await Promise.all(this.#issuers.map((issuer) => this.#readOne(issuer, signal)));
    if (signal.aborted) return;
    const pause = this.#problems.size > 0 ? this.#options.retryMs : REFRESH_MS;
    this.#timer = setTimeout(() => void this.#readAgain(), pause).unref();
    if (this.#state() !== before) this.#store();
  }

  async #readAgain(): Promise<void> {
    const before = this.#state();
    await this.#read();
    if (this.#state() !== before) this.#options.onChange();
  }

  async #readOne(issuer: string, signal: AbortSignal): Promise<void> {
    try {
      const url = await discoverKeySet(issuer, this.#authorities, signal);
      if (signal.aborted) return;
      this.#places.set(issuer, url.href);
      if (this.#problems.delete(issuer)) this.#options.report(`${issuer} can be reached again.`);
    } catch (error) {
      if (signal.aborted) return;
      const reason = (error as Error).message;
      if (this.#problems.get(issuer) !== reason)
        this.#options.report(this.#problemOf(issuer, reason), "warning");
      this.#problems.set(issuer, reason);
    }
  }

  #problemOf(issuer: string, reason: string): string {
    const consequence = this.#places.has(issuer)
      ? "the URL of the keys is the last one that it had"
      : "its tokens are rejected with 503 until it can be read; or set jwks_uri";
    return `${discoveryUrl(issuer)} cannot be used (${reason}): ${consequence}.`;
  }

  #state(): string {
    return JSON.stringify([...this.#places]);
  }

  #store(): void {
    const { file, writeFile, report } = this.#options;
    try {
      writeFile(file, JSON.stringify(Object.fromEntries(this.#places)));
    } catch (error) {
      report(`${file} cannot be written (${(error as Error).message}).`, "warning");
    }
  }
}

function issuersOf({ ingress, egress }: GatewayModel): TokenIssuer[] {
  return [ingress, egress].flatMap(({ tokens = [] }) =>
    tokens.filter(({ isDiscovered }) => isDiscovered === true),
  );
}

/** Returns what was stored; nothing of a file that is damaged, because the documents are read again. */
function readPlaces(file: string): Map<string, string> {
  try {
    const stored: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof stored !== "object" || stored === null) return new Map();
    return new Map(
      Object.entries(stored).filter(
        (entry): entry is [string, string] =>
          typeof entry[1] === "string" && URL.canParse(entry[1]),
      ),
    );
  } catch {
    return new Map();
  }
}
