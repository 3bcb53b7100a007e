// The page of keys in a browser, over the admin API with its real store of keys.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { startAdminServer } from "../../control-plane/observability/admin-server.ts";
import type { AdminServer } from "../../control-plane/observability/admin-server.ts";
import { keysApi } from "../../control-plane/keys/api/key-routes.ts";
import { openDesk } from "../unit/control-plane/keys/key-desk.ts";
import type { Desk } from "../unit/control-plane/keys/key-desk.ts";
import { HOSTILE, openBrowser, openTab, screenshot, SCREENSHOTS } from "./browser.ts";
import type { Tab } from "./browser.ts";

const TOKEN = "a-long-random-token-0123456789";
const DOLLAR = 1_000_000_000;
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
/** As far as a test looks at what axe found; it runs in the browser. */
const VIOLATIONS = "axe.run().then(({ violations }) => violations.map(({ id }) => id))";
/** Runs in the browser. */
const hasFocus = (one: { matches: (selector: string) => boolean }) => one.matches(":focus");

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
          {
            ...{ name: "model openai/gpt-4o a day", limit: 10 * DOLLAR, spent: 9 * DOLLAR },
            ...({ subject: { kind: "model", name: "openai/gpt-4o" }, per: "day" } as const),
          },
        ],
        keyBudgets: () =>
          (["group", "user"] as const).map((kind) => ({
            ...{ name: `${kind} x a month`, limit: 4 * DOLLAR, spent: 6 * DOLLAR },
            ...({ subject: { kind, name: "x" }, per: "month" } as const),
          })),
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
  /** Logs in with the token and opens the page of keys. */
  const open = async () => {
    await page.goto(`http://127.0.0.1:${String(server.port)}/login?next=/keys`);
    await page.locator("input[name=token]").fill(TOKEN);
    await page.locator("form button").first().click();
    await page.getByRole("heading", { name: "Groups" }).waitFor();
  };
  const field = (name: string) => page.locator(`[name="${name}"]`);

  it("an administrator creates a key with a budget and a limit, sees it once, rotates and revokes it", async () => {
    await open();
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name").fill("laptop");
    await field("budget[0].amount").fill("20 USD");
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
    const rows = page.getByRole("region", { name: "Rows of Keys" });
    await rows.getByText("$15.00 left of $20.00").waitFor();
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
    await open();
    await page.getByRole("button", { name: "New group" }).click();
    await page.getByLabel("Name").fill("research");
    await field("budget[0].amount").fill("7 USD");
    await page.getByRole("combobox", { name: "per" }).selectOption("total");
    await page.getByRole("button", { name: "Create" }).click();
    await rowOf("research").getByText("7 USD in total").waitFor();
  });

  it("an administrator sets, changes and removes the limits of a user", async () => {
    await open();
    const users = page.getByRole("region", { name: "Rows of Users" });
    await page.getByText("No user has limits").waitFor();
    await page.getByRole("button", { name: "New user" }).click();
    await page.getByRole("heading", { name: "New user" }).waitFor();
    await page.getByLabel("Name").fill("ann@example.com");
    await field("budget[0].amount").fill("a lot");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("alert").waitFor();
    await field("budget[0].amount").fill("20 USD");
    await page.getByLabel("Requests").fill("60");
    await page.getByRole("button", { name: "Create" }).click();
    const row = users.getByRole("row").filter({ hasText: "ann@example.com" });
    await row.getByText("20 USD per month").waitFor();
    await row.getByText("60 requests per minute").waitFor();
    expect((await desk.ask("GET", "/users/ann@example.com")).body).toMatchObject({
      budget: [{ amount: "20 USD", per: "month" }],
    });
    await page.getByRole("button", { name: "Change ann@example.com" }).click();
    await page.getByRole("heading", { name: "Change the user ann@example.com" }).waitFor();
    await field("models").fill("openai/*");
    await page.getByRole("button", { name: "Save" }).click();
    await row.getByText("openai/*").waitFor();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Users as JSON" }).click(),
    ]);
    expect(JSON.parse(readFileSync(await file.path(), "utf8"))).toMatchObject([
      { name: "ann@example.com", models: ["openai/*"] },
    ]);
    // A key of the user does not keep the limits, and stays.
    await desk.ask("POST", "/keys", { name: "of-ann", owner: "ann@example.com" });
    await page.getByRole("button", { name: "Delete ann@example.com" }).click();
    await page.getByText("No user has limits").waitFor();
    expect((await desk.ask("GET", "/keys/of-ann")).status).toBe(200);
    await desk.ask("DELETE", "/keys/of-ann");
  });

  it("an administrator changes a key with the keyboard alone, and what the API rejects is shown at its field", async () => {
    await desk.ask("POST", "/groups", { name: "night" });
    await desk.ask("POST", "/keys", {
      ...{ name: "build", owner: "ann@example.com", models: ["openai/*"], groups: ["night"] },
      budget: [{ amount: "20 USD", per: "month", unpriced: "reject" }],
      ratelimits: [{ requests: 60, unit: "minute" }],
    });
    await open();
    const button = page.getByRole("button", { name: "Change build" });
    await button.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Change the key build" }).waitFor();
    // The first field has the focus; the name cannot be changed.
    await expect.poll(() => field("owner").evaluate(hasFocus)).toBe(true);
    expect(await field("name").count()).toBe(0);
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("bob@example.com");
    await field("budget[0].amount").fill("a lot");
    await field("ratelimits[0].requests").fill("many");
    await field("expires").fill("soon");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("A member has an invalid value.").waitFor();
    for (const name of ["budget[0].amount", "ratelimits[0].requests", "expires"]) {
      expect(await field(name).getAttribute("aria-invalid"), name).toBe("true");
      const id = (await field(name).getAttribute("aria-describedby")) ?? "";
      expect(await page.locator(`[id="${id}"]`).innerText(), name).toContain("expected");
    }
    expect(await field("owner").getAttribute("aria-invalid")).toBeNull();
    await screenshot(page, `${SCREENSHOTS}/keys-form.png`);
    // The first of them has the focus.
    await expect.poll(() => field("expires").evaluate(hasFocus)).toBe(true);
    await field("budget[0].amount").fill("30 USD");
    await field("ratelimits[0].requests").fill("");
    await field("expires").fill("90d");
    await field("models").fill("");
    await page.getByRole("button", { name: "Add a budget" }).click();
    await field("budget[1].amount").fill("2 USD");
    await field("budget[1].per").selectOption("day");
    await field("owner").press("Enter");
    await page.getByText("build is saved.").waitFor();
    const [record] = desk.keys.list({ limit: 10, search: "build" });
    expect(record).toMatchObject({
      ...{ owner: "bob@example.com", groups: ["night"] },
      budgets: [
        { amount: 30 * DOLLAR, per: "month", rejectsUnpriced: true },
        { amount: 2 * DOLLAR, per: "day" },
      ],
    });
    expect(record).not.toHaveProperty("models");
    expect(record).not.toHaveProperty("rateLimits");
    expect(record?.expires).toBeGreaterThan(Date.now());
    // The focus is where it was.
    await expect.poll(() => button.evaluate(hasFocus)).toBe(true);
    await page.keyboard.press("Enter");
    await expect.poll(() => field("owner").evaluate(hasFocus)).toBe(true);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("form").count()).toBe(0);
  });

  it("a change of a key that was changed meanwhile is refused, and says so", async () => {
    await desk.ask("POST", "/keys", { name: "shared" });
    await open();
    await page.getByRole("button", { name: "Change shared" }).click();
    await desk.ask("PATCH", "/keys/shared", { owner: "eve" });
    await field("owner").fill("bob");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").waitFor();
    expect((await desk.ask("GET", "/keys/shared")).body).toMatchObject({ owner: "eve" });
  });

  it("an administrator disables and enables a key, and changes and deletes a group", async () => {
    await desk.ask("POST", "/keys", { name: "spare" });
    await desk.ask("POST", "/groups", { name: "short" });
    await open();
    await page.getByRole("button", { name: "Disable spare" }).click();
    await rowOf("spare").getByText("disabled").waitFor();
    await page.getByRole("button", { name: "Enable spare" }).click();
    await rowOf("spare").getByText("active").waitFor();
    await page.getByRole("button", { name: "Change short" }).click();
    await field("models").fill("openai/*");
    await field("budget[0].amount").fill("9 USD");
    await page.getByRole("button", { name: "Save" }).click();
    await rowOf("short").getByText("9 USD per month").waitFor();
    expect((await desk.ask("GET", "/groups/short")).body).toMatchObject({ models: ["openai/*"] });
    await page.getByRole("button", { name: "Delete short" }).click();
    await expect.poll(() => page.getByRole("button", { name: "Change short" }).count()).toBe(0);
  });

  it("a person without rights sees keys and groups, and no button that changes them", async () => {
    await desk.ask("POST", "/keys", { name: "visible" });
    await desk.ask("POST", "/groups", { name: "seen" });
    await page.route("**/api/me", async (route) => {
      const me = (await (await route.fetch()).json()) as { can: Record<string, boolean> };
      const can = Object.fromEntries(Object.keys(me.can).map((name) => [name, false]));
      await route.fulfill({ json: { ...me, can, groups: [] } });
    });
    await open();
    await rowOf("visible").first().waitFor();
    await rowOf("seen").first().waitFor();
    const buttons = await page.locator("main").getByRole("button").allInnerTexts();
    expect(buttons.filter((text) => !["CSV", "JSON", "More"].includes(text))).toEqual([]);
  });

  it("the page of keys runs no text of a record, and a screen reader finds its way", async () => {
    const { status, body } = await desk.ask("POST", "/keys", {
      ...{ name: "hostile", owner: HOSTILE },
      metadata: { note: HOSTILE },
    });
    expect(status, JSON.stringify(body)).toBe(201);
    const own = await openTab(browser, { bypassCSP: true });
    const { page: other } = own;
    await other.route("**/api/spend?*", (route) =>
      route.fulfill({ json: [{ name: HOSTILE, requests: 1, input: 1, output: 1, cost: 1 }] }),
    );
    await other.goto(`http://127.0.0.1:${String(server.port)}/login?next=/keys`);
    await other.locator("input[name=token]").fill(TOKEN);
    await other.locator("form button").first().click();
    await other.getByRole("button", { name: "Change hostile" }).click();
    expect(await other.locator('[name="owner"]').inputValue()).toBe(HOSTILE);
    // The API quotes the name of a model that it does not know.
    await other.locator('[name="models"]').fill(HOSTILE);
    await other.getByRole("button", { name: "Save" }).click();
    await other.locator(".wrong").filter({ hasText: HOSTILE }).waitFor();
    await other.addScriptTag({ path: AXE });
    expect(await other.evaluate(VIOLATIONS)).toEqual([]);
    expect(await other.title()).toBe("Keys · gateway");
    expect(await other.locator("main img, main script").count()).toBe(0);
    await own.close();
  });

  it("budgets of keys, groups, users and models are bars, and spend of a time is saved as files", async () => {
    const asked: string[] = [];
    await page.route("**/api/spend?*", (route) => {
      asked.push(new URL(route.request().url()).search);
      const row = { name: "=1+1", requests: 2, input: 3, output: 4, cost: DOLLAR };
      return route.fulfill({ json: [row, { ...row, name: "-ann, the first" }] });
    });
    await open();
    const budgets = page.getByRole("region", { name: "Rows of Budgets" });
    const left = await budgets.getByRole("row").allInnerTexts();
    expect(left.slice(1).map((text) => text.split(/\s*[\t\n]\s*/).slice(0, 2))).toEqual([
      ["key laptop a month", "$15.00 left of $20.00"],
      ["model openai/gpt-4o a day", "$1.00 left of $10.00"],
      ["group x a month", "$0 left of $4.00"],
      ["user x a month", "$0 left of $4.00"],
    ]);
    const bars = await budgets.locator("svg rect:not(.all)").all();
    expect(await Promise.all(bars.map((bar) => bar.getAttribute("class")))).toEqual([
      ...["good", "warn", "bad", "bad"],
    ]);
    await page.getByLabel("Spend of").selectOption("90 days");
    await expect.poll(() => asked).toContain("?by=user&days=90");
    const saved = async (name: string) => {
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name, exact: true }).click(),
      ]);
      return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
    };
    const csv = await saved("Spend by person as CSV");
    expect(csv.name).toBe("spend-by-person-90-days.csv");
    expect(csv.text.split("\r\n").slice(1, 3)).toEqual([
      `'=1+1,2,3,4,${String(DOLLAR)}`,
      `"'-ann, the first",2,3,4,${String(DOLLAR)}`,
    ]);
    const json = await saved("Spend by group as JSON");
    expect(JSON.parse(json.text)).toMatchObject([{ name: "=1+1" }, { name: "-ann, the first" }]);
    await screenshot(page, `${SCREENSHOTS}/keys.png`, { fullPage: true });
    expect(tab.errors).toEqual([]);
  });
});
