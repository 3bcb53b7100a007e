// `gateway login`, `gateway token` and `gateway logout`: a person's own token for programs that have no login.
import { spawn } from "node:child_process";
import { GatewayError } from "../../report/gateway-error.ts";
import { commandFor } from "../../report/command-name.ts";
import { printable } from "../../report/terminal.ts";
import { type Device, logIn, originOf, refreshed, revoke } from "../person/login-client.ts";
import { StoredLogins } from "../person/stored-logins.ts";

/** A token is replaced this long before it ends, or at half of its life. Seconds. */
const EARLY_S = 300;

export interface LoginOptions {
  browser: boolean;
}

export interface LogoutOptions {
  local?: boolean;
}

/** Logs in at a gateway. @param written its URL; undefined: that of the newest login */
export async function login(written: string | undefined, { browser }: LoginOptions) {
  const logins = new StoredLogins(process.env);
  const url = written === undefined ? logins.find(undefined)?.url : originOf(written);
  if (url === undefined)
    throw new GatewayError("The URL of the gateway is missing.", {
      hint: `Run: ${commandFor("login https://gateway.example.com")}`,
    });
  const stored = await logIn(url, (device) => {
    showCode(device);
    if (browser) openBrowser(device.pageWithCode);
  });
  logins.store(stored);
  console.log(`You are logged in at ${url} as ${printable(stored.name)}.`);
  console.log(`\nClaude Code, in ~/.claude/settings.json:`);
  const settings = {
    apiKeyHelper: commandFor("token"),
    env: { ANTHROPIC_BASE_URL: url, CLAUDE_CODE_API_KEY_HELPER_TTL_MS: "60000" },
  };
  console.log(JSON.stringify(settings, undefined, 2));
}

/** Prints a token that is valid for some minutes at least. */
export async function token(written: string | undefined) {
  const logins = new StoredLogins(process.env);
  const stored = find(logins, written);
  const early = Math.min(EARLY_S, stored.lifetime / 2);
  const now = Date.now() / 1000;
  if (stored.expires - early > now) {
    console.log(stored.accessToken);
    return;
  }
  const isUsable = stored.expires > now;
  const fresh = await refreshed(stored).catch((error: unknown) => {
    // Programs that ask early do not need the identity provider yet.
    if (!isUsable) throw error;
    return undefined;
  });
  if (fresh !== undefined) logins.store(fresh);
  const usable = fresh ?? (isUsable ? stored : undefined);
  if (usable === undefined)
    throw new GatewayError(`The login at ${stored.url} has ended.`, {
      hint: `Run: ${commandFor(`login ${stored.url}`)}`,
    });
  console.log(usable.accessToken);
}

/** Ends the session, and forgets its tokens; with `isLocal`, it only forgets them. Throws if the gateway cannot end it. */
export async function logout(written: string | undefined, { local: isLocal }: LogoutOptions) {
  const logins = new StoredLogins(process.env);
  const stored = find(logins, written);
  if (isLocal !== true) await revoke(stored);
  logins.remove(stored);
  console.log(`You are logged out at ${stored.url}.`);
}

function find(logins: StoredLogins, written: string | undefined) {
  const stored = logins.find(written === undefined ? undefined : originOf(written));
  if (stored !== undefined) return stored;
  throw new GatewayError("You are not logged in.", {
    hint: `Run: ${commandFor(`login ${written ?? "https://gateway.example.com"}`)}`,
  });
}

function showCode({ page, userCode, notice }: Device): void {
  console.log(`Confirm the code ${printable(userCode)} at ${page}`);
  if (notice !== undefined) console.log(printable(notice));
}

/** Programs that open a page in the browser. BROWSER takes precedence. */
const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens the page, if this machine can: the person can type the address, too. */
function openBrowser(page: string): void {
  const own = process.env["BROWSER"];
  const [program = "xdg-open", ...words] = own ? [own] : (OPENERS[process.platform] ?? []);
  const opener = spawn(program, [...words, page], { stdio: "ignore", detached: true });
  opener.on("error", () => undefined);
  opener.unref();
}
