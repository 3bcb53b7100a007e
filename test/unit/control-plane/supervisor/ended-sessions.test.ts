// Which Envoys get the sessions that have ended.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import type { Configuration } from "../../../../control-plane/supervisor/configuration-file.ts";
import {
  createSessionEnds,
  openEndedSessions,
  PAGE_SESSIONS,
} from "../../../../control-plane/supervisor/ended-sessions.ts";
import { startFakeEnvoy } from "../keys/fake-envoy.ts";

import { MAX_ENDED } from "../../../../control-plane/observability/sign-in/page-session.ts";

const SOON = { timeout: 30_000, interval: 20 };

it(
  "an Envoy gets no ended sessions after a reload removes the login, and all after one adds it",
  { timeout: 60_000 },
  async () => {
    const directory = mkdtempSync(join(tmpdir(), "sessions-"));
    const socket = join(directory, "envoy.sock");
    const envoy = await startFakeEnvoy(socket);
    const lines: string[] = [];
    const ends = createSessionEnds(
      directory,
      (line) => lines.push(line),
      () => undefined,
    );
    const use = (model: object) => ends.use({ model, environment: {} } as Configuration, directory);
    const end = async (id: string) => {
      const now = Date.now() / 1000;
      ends.ended.end({ id, expires: now + 3600 }, now);
      await ends.delivered();
    };
    const pushes = () => envoy.pushes.map(({ sessions }) => Object.keys(sessions ?? {}));
    await use({ login: {} });
    await ends.attach(socket);
    await end("one");
    await vi.waitFor(() => {
      expect(pushes()).toEqual([["*"], ["one"]]);
    }, SOON);
    await use({});
    await end("two");
    await use({ login: {} });
    await vi.waitFor(() => {
      expect(pushes()).toEqual([["*"], ["one"], ["one", "two", "*"]]);
    }, SOON);
    expect(lines).toEqual([]);
    await ends.close();
    await envoy.close();
    rmSync(directory, { recursive: true });
  },
);

it("a sign-out of the page is remembered, also over a restart, while too many logins have ended", () => {
  const directory = mkdtempSync(join(tmpdir(), "sessions-"));
  const lines: string[] = [];
  const report = (line: string) => lines.push(line);
  const now = Date.now() / 1000;
  const open = () => ({
    logins: openEndedSessions(directory, report),
    page: openEndedSessions(directory, report, undefined, PAGE_SESSIONS),
  });
  const before = open();
  before.page.end({ id: "page", expires: now + 3600 }, now);
  before.logins.add(
    Array.from({ length: MAX_ENDED + 1 }, (_, at) => [`login-${String(at)}`, now + 86_400]),
    now,
  );
  for (const { page, logins } of [before, open()]) {
    expect([...page.all.keys()]).toEqual(["page"]);
    expect(logins.all.size).toBe(MAX_ENDED);
  }
  expect(lines).toEqual([]);
  rmSync(directory, { recursive: true });
});
