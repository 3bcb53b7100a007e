// The login of agents over restarts: what was ended stays ended.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TokenKeys } from "../../../../control-plane/login/token-keys.ts";
import type { Configuration } from "../../../../control-plane/supervisor/configuration-file.ts";
import {
  createSessionEnds,
  openEndedSessions,
} from "../../../../control-plane/supervisor/ended-sessions.ts";
import { createLogin } from "../../../../control-plane/supervisor/login-service.ts";
import { socketPath } from "../../../../control-plane/supervisor/state.ts";

const SECRET = "a-secret-of-sessions-0123456789-0123";
const FILE = "ended-sessions.json";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "login-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

const configuration = {
  model: {
    login: {
      ...{ url: "https://gateway.example.com", allowedGroups: ["*"], scopes: [], parameters: {} },
      ...{ tokenMs: 3_600_000, settings: { model: "opus" }, groupSettings: [] },
    },
    observability: {
      metrics: { signIn: { issuer: "https://login.example.com", sessionVariable: "SECRET" } },
    },
  },
  environment: { SECRET },
} as unknown as Configuration;

/** Starts the login, as a gateway does. */
async function start() {
  const lines: string[] = [];
  const audit = { problem: undefined, append: () => true, denied: () => undefined };
  const report = (line: string) => lines.push(line);
  const ends = createSessionEnds(directory, report, () => undefined);
  const login = createLogin(
    directory,
    report,
    audit,
    () => false,
    () => ends,
  );
  await login.use(configuration);
  const ask = (method: string, path: string, headers: Record<string, string>, body = "") =>
    new Promise<number>((resolve, reject) => {
      const sent = request(
        { socketPath: socketPath(directory, "login"), agent: false, method, path, headers },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  return { ask, lines, close: () => login.close() };
}

it("a session that was ended stays ended after a restart, and no other session ends", async () => {
  const keys = new TokenKeys([SECRET]);
  const tokenOf = (session: string) => {
    const person = { session, subject: "1", name: "ann@example.com", groups: [] };
    return keys.accessToken(person, Date.now() / 1000, 3600);
  };
  const headersOf = (session: string) => ({ authorization: `Bearer ${tokenOf(session)}` });
  const first = await start();
  expect(readdirSync(directory)).not.toContain(FILE);
  expect(await first.ask("GET", "/managed/settings", headersOf("one"))).toBe(200);
  const form = `token=${tokenOf("one")}`;
  expect(await first.ask("POST", "/oauth/revoke", {}, form)).toBe(200);
  await first.close();
  expect(statSync(join(directory, FILE)).mode & 0o777).toBe(0o600);
  const second = await start();
  expect(await second.ask("GET", "/managed/settings", headersOf("one"))).toBe(401);
  expect(await second.ask("GET", "/managed/settings", headersOf("two"))).toBe(200);
  expect(second.lines).toEqual([]);
  await second.close();
});

it("a file of ended sessions that cannot be read or written is reported, and a logout counts", () => {
  const lines: string[] = [];
  const open = () => openEndedSessions(directory, (line) => lines.push(line));
  for (const text of ["{", "null"]) {
    writeFileSync(join(directory, FILE), text);
    open().has({ id: "one" });
    expect(lines.pop()).toContain("Logouts before the start are forgotten");
  }
  rmSync(join(directory, FILE));
  mkdirSync(join(directory, FILE));
  const ended = open();
  ended.end({ id: "one", expires: 2000 }, 1000);
  expect(ended.has({ id: "one" })).toBe(true);
  expect(lines.at(-1)).toContain("A restart would forget logouts");
});

it("sessions that have ended are forgotten when their tokens have", () => {
  const ended = openEndedSessions(directory, () => undefined);
  ended.end({ id: "old", expires: 2000 }, 1000);
  ended.end({ id: "new", expires: 4000 }, 3000);
  const read = openEndedSessions(directory, () => undefined);
  expect(["old", "new"].map((id) => read.has({ id }))).toEqual([false, true]);
});
