// The pages of sessions in a browser, over a day of invented requests: the list, one session's turns, and both while they grow.
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { openBrowser, openTab, screenshot, SCREENSHOTS } from "./browser.ts";
import type { Tab } from "./browser.ts";
import { DEMO_SESSION, startDemo } from "./demo.ts";
import type { Demo } from "./demo.ts";

const TOKEN = "a-long-random-token-0123456789";

describe.runIf(inject("canTestPage"))("the pages of sessions", () => {
  let browser: Browser;
  let demo: Demo;
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    browser = await openBrowser();
    demo = await startDemo();
  });
  afterAll(async () => {
    await browser.close();
    await demo.stop();
  });
  beforeEach(async () => {
    tab = await openTab(browser);
    page = tab.page;
  });
  afterEach(async () => {
    expect(tab.errors).toEqual([]);
    await tab.close();
  });

  const rows = () => page.locator(".requests tbody tr");

  async function saved(name: string): Promise<string> {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name, exact: true }).click(),
    ]);
    return readFileSync(await file.path(), "utf8");
  }

  it("the list of sessions shows what each has used, and is filtered", async () => {
    await page.goto(`${demo.url}/sessions`);
    const row = rows().filter({ hasText: DEMO_SESSION });
    await row.filter({ hasText: "11 +1" }).waitFor();
    expect(await row.innerText()).toMatch(
      /claude-cli\/2\.1\.330[^]*anthropic\/claude-sonnet-4-5[^]*CODE_AGENTS[^]*ann@example\.com[^]*11 \+1[^]*%[^]*\$\d[^]*overloaded_error: Overloaded\./,
    );
    for (const text of ["CLAUDE-CLI", "overloaded", "ann@", DEMO_SESSION]) {
      await page.getByLabel("Search sessions").fill(text);
      await row.waitFor();
      expect(page.url()).toContain("text=");
    }
    expect(JSON.parse(await saved("JSON"))).toMatchObject([{ session: DEMO_SESSION, turns: 11 }]);
    expect(await saved("CSV")).toContain("claude-cli/2.1.330");
    await page.getByLabel("Search sessions").fill("nothing has this");
    await page.getByText("No session matches the filters.").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await row.waitFor();
    await page.getByLabel("Key").selectOption("TEAM_SEARCH");
    await page.getByText("No session matches the filters.").waitFor();
    await page.getByLabel("Key").selectOption("CODE_AGENTS");
    await row.waitFor();
    await page.getByLabel("To", { exact: true }).fill("2026-11-22T12:00");
    await page.getByText("No session matches the filters.").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await row.waitFor();
    await screenshot(page, `${SCREENSHOTS}/sessions.png`);
    await row.getByRole("link").click();
    await page.getByRole("heading", { name: `Session ${DEMO_SESSION}` }).waitFor();
  });

  it("one session is shown as its turns, the last one first, with pauses and caches", async () => {
    await page.goto(`${demo.url}/sessions/${DEMO_SESSION}`);
    await expect.poll(() => rows().count()).toBe(12);
    const texts = await rows().allInnerTexts();
    // The fifth turn: eleven minutes later, and nothing was cached.
    expect(texts[7]).toMatch(/11 m \d\d s[^]*200[^]*28k[^]*0 %/);
    expect(texts[6]).toMatch(/200[^]*92 %/);
    const whyOf = (row: number) => rows().nth(row).locator("td.wrap").innerText();
    expect(await page.locator(".requests thead").innerText()).toContain(
      "Why the cache was not read",
    );
    expect(await whyOf(7)).toMatch(
      /^the cache had expired: 25,200 tokens were not read from the cache \(\$0\.0869\)$/,
    );
    expect(await rows().locator("td.wrap .warn-text").count()).toBe(1);
    expect(await whyOf(6)).toBe("");
    expect(await whyOf(2)).toBe("first turn of a sub-agent");
    expect(texts[4]).toMatch(/529[^]*overloaded_error[^]*Overloaded\./);
    expect(texts[2]).toContain("agent-7");
    expect(await page.locator(".facts").innerText()).toMatch(/Turns of sub-agents\s+1/);
    expect((await saved("CSV")).trimEnd().split("\r\n")).toHaveLength(13);
    await screenshot(page, `${SCREENSHOTS}/session.png`);
    await rows().first().getByRole("link").click();
    await page.getByRole("heading", { name: `Request ${DEMO_SESSION}-11` }).waitFor();
    await page.getByRole("link", { name: DEMO_SESSION, exact: true }).click();
    await expect.poll(() => rows().count()).toBe(12);
    await page.goto(`${demo.url}/sessions/none`);
    await page.getByText("The history has no session with this id.").waitFor();
  });

  it("an operator ends a session from its page, and nobody else is offered that", async () => {
    await page.goto(`${demo.url}/sessions/${DEMO_SESSION}`);
    await expect.poll(() => rows().count()).toBe(12);
    // Without a token nobody is known who could end it.
    expect(await page.getByRole("button", { name: "End session" }).count()).toBe(0);
    const own = await startDemo(TOKEN);
    await page.goto(`${own.url}/login?next=/sessions/${DEMO_SESSION}`);
    await page.locator("input[name=token]").fill(TOKEN);
    await page.getByRole("button", { name: "Log in" }).click();
    const questions: string[] = [];
    page.on("dialog", (dialog) => {
      questions.push(dialog.message());
      void (questions.length === 1 ? dialog.dismiss() : dialog.accept());
    });
    const button = page.getByRole("button", { name: "End session" });
    await button.click();
    await expect.poll(() => questions.length).toBe(1);
    expect(questions[0]).toContain("of the key CODE_AGENTS");
    expect(own.ended()).toEqual([]);
    await button.click();
    await page.getByText("ended until Dec 22, 2026").waitFor();
    expect(own.ended().join()).toContain(DEMO_SESSION);
    await page.reload();
    await page.getByText("ended until Dec 22, 2026").waitFor();
    expect(await button.count()).toBe(0);
    await screenshot(page, `${SCREENSHOTS}/session-ended.png`);
    await own.stop();
  });

  it("a session grows on both pages while it runs", async () => {
    const turn = { session: "ses_live", agent: "codex_cli_rs/0.169", key: "CODE_AGENTS" };
    await page.goto(`${demo.url}/sessions`);
    await rows().filter({ hasText: DEMO_SESSION }).waitFor();
    demo.add("live-1", turn);
    const row = rows().filter({ hasText: "ses_live" });
    await row.waitFor();
    expect(await row.innerText()).toContain("codex_cli_rs/0.169");
    await row.getByRole("link").click();
    await expect.poll(() => rows().count()).toBe(1);
    demo.add("live-2", turn);
    await expect.poll(() => rows().count()).toBe(2);
    expect(await page.locator(".facts").innerText()).toMatch(/Turns\s+2/);
  });
});
