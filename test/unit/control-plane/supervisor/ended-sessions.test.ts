// Which Envoys get the sessions that have ended.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import type { Configuration } from "../../../../control-plane/supervisor/configuration-file.ts";
import { createSessionEnds } from "../../../../control-plane/supervisor/ended-sessions.ts";
import { startFakeEnvoy } from "../keys/fake-envoy.ts";

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
