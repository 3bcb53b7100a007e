// The access tokens of the active configuration: one refresher for each, and the files by which Envoy gets them.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { emptySecrets, secretWith } from "../../envoy/credential-filters.ts";
import type { Environment } from "../report/environment.ts";
import {
  secretVariableOf,
  sourceText,
  type Token,
  tokensOf,
} from "../../model/cloud-credentials.ts";
import type { GatewayModel } from "../../model/model.ts";
import { minter } from "./mint.ts";
import { type Mint, Refresher, type TokenState } from "./refresher.ts";

/** A configuration, as far as its tokens depend on it. */
export interface TokenUser {
  model: Pick<GatewayModel, "targets">;
  environment: Environment;
}

export interface TokenEvents {
  /** Reports a line to the user. */
  report: (line: string) => void;
  /** Writes a file that only its user can read, and renames it into place. */
  writeFile: (file: string, text: string) => void;
  /** A token, or the reason why there is none, has changed. */
  onChange: () => void;
}

/** What is known of a token. Without the token. */
export interface TokenReport extends TokenState {
  /** Name of the secret. */
  name: string;
  /** Where it comes from, for people. */
  source: string;
}

/** Time that a start waits for the first tokens. */
const FIRST_MS = 5_000;

interface Kept {
  token: Token;
  refresher: Refresher;
}

export class Tokens {
  readonly #directory: string;
  readonly #events: TokenEvents;
  readonly #minter: (token: Token, environment: Environment) => Mint;
  /** By `keyOf`. */
  readonly #kept = new Map<string, Kept>();

  constructor(
    directory: string,
    events: TokenEvents,
    mint = ({ source }: Token, environment: Environment) => minter(source, environment),
  ) {
    this.#directory = directory;
    this.#events = events;
    this.#minter = mint;
  }

  /**
   * Requests the tokens that a configuration needs in addition, and creates their files. Resolves when they are there, or
   * after a few seconds: then requests are rejected until they are.
   */
  async prepare({ model, environment }: TokenUser): Promise<void> {
    const secrets = emptySecrets(model, this.#directory);
    if (secrets.length === 0) return;
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const fresh = tokensOf(model.targets).filter(
      (token) => !this.#kept.has(keyOf(token, environment)),
    );
    const names = new Set(fresh.map(({ secret }) => secretWith(secret, "", this.#directory).file));
    const running = new Set(
      [...this.#kept.values()].map(({ token }) => fileOf(token, this.#directory)),
    );
    for (const { file, text } of secrets) {
      // A file of an earlier run may contain a token of another identity.
      const isStale = names.has(file) && !running.has(file);
      if (isStale || !existsSync(file)) this.#events.writeFile(file, text);
    }
    const started = fresh.map((token) => this.#start(token, environment));
    await Promise.race([Promise.all(started), pause(FIRST_MS)]);
  }

  /** Stops refreshing the tokens that a configuration does not need. */
  retain({ model, environment }: TokenUser): void {
    const needed = new Set(tokensOf(model.targets).map((token) => keyOf(token, environment)));
    for (const [key, { refresher }] of this.#kept) {
      if (needed.has(key)) continue;
      refresher.stop();
      this.#kept.delete(key);
    }
  }

  reports(): TokenReport[] {
    return [...this.#kept.values()].map(({ token, refresher }) => ({
      name: token.secret,
      source: sourceText(token.source),
      ...refresher.state,
    }));
  }

  /** Stops all requests, and removes the files: a token would outlive the gateway. */
  close(): void {
    for (const { refresher } of this.#kept.values()) refresher.stop();
    this.#kept.clear();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #start(token: Token, environment: Environment): Promise<void> {
    let known: Condition = "valid";
    const refresher = new Refresher(this.#minter(token, environment), {
      write: (value) => {
        const { file, text } = secretWith(token.secret, value, this.#directory);
        this.#events.writeFile(file, text);
      },
      onChange: (state) => {
        const condition = conditionOf(state);
        if (condition !== known) this.#events.report(lineOf(token, state));
        known = condition;
        this.#events.onChange();
      },
    });
    this.#kept.set(keyOf(token, environment), { token, refresher });
    return refresher.hasTried;
  }
}

function fileOf({ secret }: Token, directory: string): string {
  return secretWith(secret, "", directory).file;
}

/** Returns what a token depends on: its source, and the client secret that the source names. */
function keyOf({ secret, source }: Token, environment: Environment): string {
  const variable = secretVariableOf(source);
  const value = variable === undefined ? "" : (environment[variable] ?? "");
  return `${secret} ${createHash("sha256").update(value).digest("hex")}`;
}

type Condition = "valid" | "failing" | "missing";

function conditionOf({ validUntil, lastError }: TokenState): Condition {
  if (validUntil === undefined) return "missing";
  return lastError === undefined ? "valid" : "failing";
}

function lineOf({ source }: Token, { validUntil, lastError }: TokenState): string {
  const from = sourceText(source);
  if (lastError === undefined) return `The access token is available again (${from}).`;
  const rest =
    validUntil === undefined
      ? "Requests that need it are rejected with 503."
      : `The current one is valid until ${new Date(validUntil).toISOString()}.`;
  return `No access token (${from}): ${lastError} ${rest}`;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
