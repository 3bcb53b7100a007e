// The store of keys in a running gateway: a file that cannot be read ends neither its start nor the process.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { Keys } from "../../../../control-plane/keys/key-service.ts";
import type { Configuration } from "../../../../control-plane/supervisor/configuration-file.ts";
import { createKeyStore } from "../../../../control-plane/supervisor/key-store.ts";
import { modelOf } from "../keys/key-desk.ts";

it("budgets that cannot be read are reported, and set when they can", async () => {
  const directory = mkdtempSync(join(tmpdir(), "keys-"));
  const lines: string[] = [];
  const onBudgets = vi.fn(() => Promise.resolve());
  const store = createKeyStore(
    directory,
    (line) => lines.push(line),
    () => undefined,
    () => true,
    onBudgets,
  );
  const read = vi.spyOn(Keys.prototype, "budgets").mockImplementationOnce(() => {
    throw new Error("database is locked");
  });
  const configuration = { model: modelOf("keys: {}\n"), environment: {} };
  await store.use(configuration as unknown as Configuration, "");
  expect(lines).toEqual(["The budgets of keys are not current: database is locked."]);
  await vi.waitFor(() => {
    expect(onBudgets).toHaveBeenCalledWith([]);
  }, 30_000);
  expect(lines.at(-1)).toBe("The budgets of keys are current again.");
  read.mockRestore();
  await store.close();
  rmSync(directory, { recursive: true });
});
