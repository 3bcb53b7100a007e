// The logins of this user at gateways, in a file that only the user can read.
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Environment } from "../../report/environment.ts";
import { readJson, writePrivately } from "../../supervisor/state.ts";

export interface StoredLogin {
  /** Origin of the gateway. */
  url: string;
  name: string;
  accessToken: string;
  /** Seconds since 1970. */
  expires: number;
  /** Seconds that a token is valid. */
  lifetime: number;
  /** Absent: the person has to log in again. */
  refreshToken?: string | undefined;
  tokenUrl: string;
  revocationUrl?: string | undefined;
}

export class StoredLogins {
  readonly #file: string;

  constructor(environment: Environment) {
    const home = environment["HOME"] ?? homedir();
    const directory = environment["XDG_CONFIG_HOME"] || join(home, ".config");
    this.#file = join(directory, "gateway/logins.json");
  }

  /** Returns all of them, the newest one first. */
  all(): StoredLogin[] {
    return (readJson(this.#file) ?? []) as StoredLogin[];
  }

  /** @param url undefined: the newest login */
  find(url: string | undefined): StoredLogin | undefined {
    return this.all().find((login) => url === undefined || login.url === url);
  }

  /** Stores a login in place of the one at the same gateway. */
  store(login: StoredLogin): void {
    this.#write([login, ...this.#without(login)]);
  }

  remove(login: StoredLogin): void {
    this.#write(this.#without(login));
  }

  #without({ url }: StoredLogin): StoredLogin[] {
    return this.all().filter((other) => other.url !== url);
  }

  #write(logins: readonly StoredLogin[]): void {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    writePrivately(this.#file, `${JSON.stringify(logins, undefined, 2)}\n`);
  }
}
