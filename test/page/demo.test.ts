// The live page in a browser, over a day of invented requests: how it looks, the form to log in, and what a screen reader needs.
// UPDATE_SCREENSHOTS=1 writes the two of docs/images/.
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import {
  DESKTOP,
  HOSTILE,
  openBrowser,
  openTab,
  PHONE,
  screenshot,
  SCREENSHOTS,
  WIDE,
} from "./browser.ts";
import { DEMO_SESSION, startDemo } from "./demo.ts";
import type { Demo } from "./demo.ts";

const IMAGES = join(import.meta.dirname, "../../docs/images");
const MAX_IMAGE = 150 * 1024;
const TOKEN = "a-long-random-token-0123456789";
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** As far as a test looks at an element; these run in the browser. */
interface Box {
  scrollWidth: number;
  clientWidth: number;
}
interface Styled {
  ownerDocument: {
    defaultView: { getComputedStyle: (one: unknown) => { backgroundColor: string } };
  };
}
const widthsOf = (box: Box) => ({ scroll: box.scrollWidth, width: box.clientWidth });
const colorOf = (body: Styled) =>
  body.ownerDocument.defaultView.getComputedStyle(body).backgroundColor;

describe.runIf(inject("canTestPage"))("the live page of a day", () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    browser = await openBrowser();
    demo = await startDemo();
  });
  afterAll(async () => {
    await browser.close();
    await demo.stop();
  });

  const pages = () => ({
    live: `${demo.url}/?range=24h`,
    story: `${demo.url}/requests/${demo.storyId}`,
    sessions: `${demo.url}/sessions`,
    session: `${demo.url}/sessions/${DEMO_SESSION}`,
    playground: `${demo.url}/playground`,
  });

  async function isFilled(page: Page): Promise<void> {
    await page.locator("canvas, .timeline, #curl-text, .requests a.row").first().waitFor();
  }

  it.each(["dark", "light"] as const)(
    "the live page of a day looks as it should, %s",
    async (colorScheme) => {
      const { page, errors, close } = await openTab(browser, { colorScheme });
      for (const [name, url] of Object.entries(pages())) {
        await page.setViewportSize(name === "live" ? { width: 1440, height: 1060 } : DESKTOP);
        await page.goto(url);
        await isFilled(page);
        if (name === "live") await page.getByText("1 of 2 ejected").waitFor();
        const path = `${SCREENSHOTS}/${name}-${colorScheme}.png`;
        await screenshot(page, path);
        const background = await page.locator("body").evaluate(colorOf);
        expect(background).toBe(colorScheme === "dark" ? "rgb(13, 16, 21)" : "rgb(245, 246, 248)");
      }
      expect(errors).toEqual([]);
      await close();
    },
  );

  it.runIf(process.env["UPDATE_SCREENSHOTS"] === "1")(
    "the live page of a day is shown in the documentation",
    async () => {
      const { page, close } = await openTab(browser, { deviceScaleFactor: 0.7 });
      for (const name of ["live", "story"] as const) {
        await page.setViewportSize({ width: 1440, height: name === "live" ? 970 : 680 });
        await page.goto(pages()[name]);
        await isFilled(page);
        if (name === "live") await page.getByText("1 of 2 ejected").waitFor();
        await screenshot(page, join(IMAGES, `${name}-page.png`));
      }
      await close();
    },
  );

  it.each(["live", "story"])("the image of the %s page is small", (name) => {
    expect(statSync(join(IMAGES, `${name}-page.png`)).size).toBeLessThanOrEqual(MAX_IMAGE);
  });

  it.each([DESKTOP, WIDE, PHONE])(
    "the live page of a day cuts no table at $width px",
    async (viewport) => {
      const { page, close } = await openTab(browser, { viewport });
      await page.goto(pages().live);
      await isFilled(page);
      await page.getByText("all requests in total", { exact: true }).waitFor();
      await page.getByText("1 of 2 ejected").waitFor();
      await page.locator(".requests tbody tr").nth(40).waitFor();
      await screenshot(page, `${SCREENSHOTS}/live-${String(viewport.width)}.png`, {
        fullPage: true,
      });
      const tables = await page.locator(".scroll").all();
      expect(tables).toHaveLength(5);
      for (const table of tables) {
        const { scroll, width } = await table.evaluate(widthsOf);
        const name = await table.getAttribute("aria-label");
        expect(scroll, name ?? "").toBeLessThanOrEqual(width);
      }
      await close();
    },
  );

  it("the live page of a day fits a phone", async () => {
    const { page, errors, close } = await openTab(browser, { viewport: PHONE });
    for (const [name, url] of Object.entries(pages())) {
      await page.goto(url);
      await isFilled(page);
      const { scroll, width } = await page.locator("html").evaluate(widthsOf);
      expect(scroll, name).toBeLessThanOrEqual(width);
      await screenshot(page, `${SCREENSHOTS}/${name}-phone.png`, { fullPage: true });
    }
    expect(errors).toEqual([]);
    await close();
  });

  it.each(["dark", "light"] as const)(
    "the live page of a day has no problem that axe finds, %s",
    async (colorScheme) => {
      const { page, close } = await openTab(browser, { colorScheme, bypassCSP: true });
      for (const [name, url] of Object.entries(pages())) {
        await page.goto(url);
        await isFilled(page);
        await page.evaluate(readFileSync(AXE, "utf8"));
        const problems = await page.evaluate(async () => {
          const { axe } = globalThis as unknown as {
            axe: {
              run: () => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
            };
          };
          const { violations } = await axe.run();
          return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`);
        });
        expect(problems, name).toEqual([]);
      }
      await close();
    },
  );

  it("the live page of a day does not jump while rows and sums arrive", async () => {
    const { page, close } = await openTab(browser);
    await page.goto(pages().live);
    await isFilled(page);
    await page.locator(".requests tbody tr").nth(40).waitFor();
    const top = () => page.locator(".requests").boundingBox();
    const before = await top();
    for (let at = 0; at < 20; at++) demo.add(`jump-${String(at)}`);
    await expect.poll(() => page.locator('a[href="/requests/jump-19"]').count()).toBe(1);
    expect(await top()).toEqual(before);
    await close();
  });

  it("the live page of a day shows older requests, those of a time, and saves what is shown", async () => {
    const { page, errors, close } = await openTab(browser);
    await page.goto(pages().live);
    const rows = page.locator(".requests tbody tr");
    await expect.poll(() => rows.count()).toBe(100);
    await page.getByRole("button", { name: "Older" }).click();
    await expect.poll(() => rows.count()).toBe(200);
    await page.getByRole("button", { name: "Older" }).click();
    await expect.poll(() => rows.count()).toBe(300);
    await page.getByRole("button", { name: "Resume" }).click();
    await expect.poll(() => rows.count()).toBe(100);

    await page.getByLabel("From", { exact: true }).fill("2026-11-22T04:00");
    await page.getByLabel("To", { exact: true }).fill("2026-11-22T04:59");
    await page.getByLabel("Status").selectOption("ok");
    await page.getByLabel("Search requests").fill("TEAM_SUPPORT");
    await expect.poll(() => rows.first().innerText()).toMatch(/^04:5/);
    await page.getByText("The history has no older requests.").waitFor();
    expect(page.url()).toContain("from=2026-11-22T04%3A00");
    const count = await rows.count();
    expect(await rows.filter({ hasText: "TEAM_SUPPORT" }).count()).toBe(count);

    const saved = async (name: string) => {
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name, exact: true }).click(),
      ]);
      return readFileSync(await file.path(), "utf8");
    };
    expect((await saved("CSV")).trimEnd().split("\r\n")).toHaveLength(count + 1);
    expect(JSON.parse(await saved("JSON"))).toHaveLength(count);
    await screenshot(page, `${SCREENSHOTS}/live-history.png`);
    expect(errors).toEqual([]);
    await close();
  });

  it.each([DESKTOP, PHONE])(
    "the live page of a day shows long bodies and errors at $width px",
    async (viewport) => {
      const { page, errors, close } = await openTab(browser, { viewport });
      await page.route("**/api/requests/*", async (route) => {
        const response = await route.fetch();
        const story = (await response.json()) as { requests: { message?: string }[] };
        const word = "a-word-without-spaces-".repeat(20);
        const content = { request: JSON.stringify({ word }), isRequestCut: true, response: word };
        for (const request of story.requests) request.message = word;
        await route.fulfill({ json: { ...story, hasContent: true, content } });
      });
      await page.goto(pages().story);
      await page.getByText("Request body, cut to observability.content.max_bytes").waitFor();
      for (const box of [page.locator("html"), ...(await page.locator("pre").all())]) {
        const { scroll, width } = await box.evaluate(widthsOf);
        expect(scroll).toBeLessThanOrEqual(width);
      }
      const path = `${SCREENSHOTS}/story-bodies-${String(viewport.width)}.png`;
      await screenshot(page, path, { fullPage: true });
      expect(errors).toEqual([]);
      await close();
    },
  );

  it("the live page of a day and a story run no text of a request", async () => {
    const own = await startDemo();
    const { page, errors, close } = await openTab(browser, { bypassCSP: true });
    await page.route("**/api/requests/*", async (route) => {
      const story = (await (await route.fetch()).json()) as object;
      const content = { request: HOSTILE, response: JSON.stringify({ text: HOSTILE }) };
      await route.fulfill({ json: { ...story, hasContent: true, content } });
    });
    const attempts = [{ target: HOSTILE, status: 500, message: HOSTILE, ms: 1 }];
    own.add("hostile", {
      ...{ key: HOSTILE, requested: HOSTILE, target: HOSTILE, response_model: HOSTILE, attempts },
      ...{ error: HOSTILE, code: HOSTILE, message: HOSTILE, finish: HOSTILE, dropped: HOSTILE },
      ...{ session: "hostile-session", agent: HOSTILE, subagent: HOSTILE, purpose: HOSTILE },
      ...{ user: HOSTILE, group: HOSTILE, prompt_target: HOSTILE, first_target: HOSTILE },
    });
    await page.goto(`${own.url}/?range=24h`);
    await page.locator(".requests tbody tr").filter({ hasText: HOSTILE }).first().waitFor();
    expect(await page.title()).toBe("Live · gateway");
    await page.goto(`${own.url}/sessions`);
    await page.locator(".requests td").filter({ hasText: HOSTILE }).first().waitFor();
    await page.getByRole("link", { name: "Session hostile-session" }).click();
    await page.locator(".facts").getByText(HOSTILE).first().waitFor();
    await page.locator(".requests td").filter({ hasText: HOSTILE }).first().waitFor();
    expect(await page.title()).toBe("Session · gateway");
    await page.goto(`${own.url}/requests/hostile`);
    await page.locator("pre").filter({ hasText: "onerror" }).first().waitFor();
    await page.locator(".timeline").getByText(HOSTILE).first().waitFor();
    expect(await page.title()).toBe("Request · gateway");
    expect(await page.locator("main img, main script").count()).toBe(0);
    expect(errors).toEqual([]);
    await close();
    await own.stop();
  });

  it("the live page of a day requests the token once, and never has it in a URL", async () => {
    const own = await startDemo(TOKEN);
    const { page, errors, close } = await openTab(browser);
    await page.goto(`${own.url}/?status=errors`);
    await page.getByLabel("Token of observability.metrics").fill("wrong");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByText("The token is not correct.").waitFor();
    await screenshot(page, `${SCREENSHOTS}/login.png`);
    await page.getByLabel("Token of observability.metrics").fill(TOKEN);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("heading", { name: "Requests", exact: true }).waitFor();
    expect(page.url()).toBe(`${own.url}/?status=errors`);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
    expect(cookie?.value).not.toContain(TOKEN);
    // The console has the response 401.
    expect(errors.filter((text) => !text.includes("401"))).toEqual([]);
    await close();
    await own.stop();
  });
});
