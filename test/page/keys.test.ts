// The page of keys in a browser, over the admin API with its real store of keys.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { startAdminServer } from "../../control-plane/observability/admin-server.ts";
import type { AdminServer } from "../../control-plane/observability/admin-server.ts";
import { keysApi } from "../../control-plane/keys/api/key-routes.ts";
import { openDesk } from "../unit/control-plane/keys/key-desk.ts";
import type { Desk } from "../unit/control-plane/keys/key-desk.ts";
import { openBrowser, openTab, screenshot, SCREENSHOTS } from "./browser.ts";
import type { Tab } from "./browser.ts";

const TOKEN = "a-long-random-token-0123456789";
const DOLLAR = 1_000_000_000;

describe.runIf(inject("canTestPage"))("the page of keys", () => {
  let desk: Desk;
  let server: AdminServer;
  let browser: Browser;
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    desk = await openDesk();
    browser = await openBrowser();
    server = await startAdminServer({
      ...{
        address: "127.0.0.1",
        port: 0,
        token: TOKEN,
        api: keysApi({ keys: () => desk.keys, version: "1.2.3" }),
      },
      metrics: () => Promise.resolve(""),
      page: {
        ...{ model: () => undefined, parts: () => undefined, contentLog: () => undefined },
        budgets: () => [
          {
            ...{ name: "key laptop a month", limit: 20 * DOLLAR, spent: 5 * DOLLAR },
            ...({ subject: { kind: "key", name: "laptop" }, per: "month" } as const),
          },
        ],
        now: Date.now,
      },
    });
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    await desk.close();
  });
  beforeEach(async () => {
    tab = await openTab(browser);
    page = tab.page;
    page.on("dialog", (dialog) => void dialog.accept());
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await screenshot(page, `${SCREENSHOTS}/failed-keys.png`);
    await tab.close();
  });

  const rowOf = (name: string) => page.getByRole("row").filter({ hasText: name });

  it("an administrator creates a key with a budget and a limit, sees it once, rotates and revokes it", async () => {
    await page.goto(`http://127.0.0.1:${String(server.port)}/keys`);
    await page.locator("input[name=token]").fill(TOKEN);
    await page.locator("form button").first().click();
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name").fill("laptop");
    await page.getByLabel("Budget").fill("20 USD");
    await page.getByLabel("Requests").fill("60");
    await page.getByRole("button", { name: "Create" }).click();
    const text = page.locator("#key-text");
    await text.waitFor();
    const created = await text.innerText();
    expect(created).toMatch(/^gwk_/);
    const [record] = desk.keys.list({ limit: 10 });
    expect(record).toMatchObject({
      name: "laptop",
      budgets: [{ amount: 20 * DOLLAR, per: "month" }],
      rateLimits: [{ counts: "requests", amount: 60, unit: "minute" }],
    });
    await page.getByRole("button", { name: "Done" }).click();
    await rowOf("laptop").getByText("60 requests per minute").waitFor();
    await rowOf("laptop").getByText("$15.00 left of $20.00").waitFor();
    expect(await page.content()).not.toContain(created);

    await page.getByRole("button", { name: "Rotate laptop" }).click();
    await text.waitFor();
    expect(await text.innerText()).not.toBe(created);
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Revoke laptop" }).click();
    await page.getByText("There are no keys here.").waitFor();
    expect(desk.keys.list({ limit: 10, status: "revoked" })).toHaveLength(1);
  });

  it("an administrator creates a group with a budget", async () => {
    await page.goto(`http://127.0.0.1:${String(server.port)}/login?next=/keys`);
    await page.locator("input[name=token]").fill(TOKEN);
    await page.locator("form button").first().click();
    await page.getByRole("button", { name: "New group" }).click();
    await page.getByLabel("Name").fill("research");
    await page.getByLabel("Budget").fill("7 USD");
    await page.getByRole("combobox", { name: "per" }).selectOption("total");
    await page.getByRole("button", { name: "Create" }).click();
    await rowOf("research").getByText("7 USD in total").waitFor();
  });
});
