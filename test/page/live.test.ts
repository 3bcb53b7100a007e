// The live page in a browser, over a running gateway: requests as they happen, one request's story, the playground.
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { freePort } from "../free-port.ts";
import { configurationOn, freePorts, openDesk } from "../cli/gateway-command.ts";
import type { Desk } from "../cli/gateway-command.ts";
import { startAnthropicProvider } from "../providers/anthropic.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import type { FakeProvider } from "../providers/server.ts";
import { openBrowser, openTab, screenshot, SCREENSHOTS } from "./browser.ts";
import type { Tab } from "./browser.ts";

const TEAM_KEY = "a-key-of-the-team-0123456789";
const PROVIDER_KEY = "sk-of-the-provider-0123456789";

describe.runIf(inject("canTestPage"))("the live page of a running gateway", () => {
  let desk: Desk;
  let openai: FakeProvider;
  let anthropic: FakeProvider;
  let browser: Browser;
  let tab: Tab;
  let page: Page;
  let url: string;
  let egress: string;

  beforeAll(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    browser = await openBrowser();
    openai = await startOpenaiProvider({ key: PROVIDER_KEY, models: ["gpt-4o", "gpt-4.1"] });
    anthropic = await startAnthropicProvider({ key: PROVIDER_KEY });
    const ports = await freePorts();
    const admin = await freePort();
    url = `http://127.0.0.1:${String(admin)}`;
    egress = `http://127.0.0.1:${String(ports.egress)}`;
    const rest = `llm_providers:
  - {model: openai/gpt-4o, access_key: $PROVIDER_KEY, base_url: "${openai.url}/v1", default: true, fallbacks: [anthropic/claude-test]}
  - {model: openai/gpt-4.1, access_key: $PROVIDER_KEY, base_url: "${openai.url}/v1"}
  - {model: anthropic/claude-test, access_key: $PROVIDER_KEY, base_url: "${anthropic.url}"}
pricing:
  openai/gpt-4o: {input: 1, output: 2}
observability: {metrics: {port: ${String(admin)}}}
`;
    const listeners = configurationOn(ports, rest).replace(
      /(egress: \{address: 127\.0\.0\.1, port: \d+)/,
      "$1, api_keys: [$TEAM_KEY]",
    );
    desk = openDesk({ "gateway.yaml": listeners });
    Object.assign(desk.environment, { TEAM_KEY, PROVIDER_KEY });
    const { code, stdout, stderr } = await desk.run("up", "--detach", "--concurrency", "1");
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toContain(url);
  });
  afterAll(async () => {
    await browser.close();
    await desk.clear();
    await Promise.all([openai.stop(), anthropic.stop()]);
  });
  beforeEach(async () => {
    tab = await openTab(browser);
    page = tab.page;
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail")
      await screenshot(page, `${SCREENSHOTS}/failed-${task.name.slice(0, 40)}.png`);
    expect(tab.errors).toEqual([]);
    await tab.close();
  });

  async function ask(text: string, more: object = {}, own: object = {}): Promise<string> {
    const id = randomUUID();
    const headers = { authorization: `Bearer ${TEAM_KEY}`, "x-request-id": id, ...own };
    const response = await fetch(`${egress}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({
        model: "openai/gpt-4o",
        messages: [{ role: "user", content: text }],
        ...more,
      }),
    });
    await response.text();
    return id;
  }

  const rows = () => page.locator(".requests tbody tr");

  it("the live page shows requests as they happen, filters them, and pauses", async () => {
    await page.goto(url);
    await page.getByText("Live", { exact: true }).first().waitFor();
    await ask("one", { stream: true });
    const row = rows().filter({ hasText: "stream" }).filter({ hasText: "gpt-4o" });
    await row.first().waitFor();
    expect(await row.first().innerText()).toMatch(/200[^]*TEAM_KEY[^]*chat stream[^]*\$0\.0000/);
    await ask("two", { model: "openai/unknown" });
    await rows().filter({ hasText: "404" }).first().waitFor();

    await page.getByLabel("Status").selectOption("errors");
    await expect.poll(() => rows().filter({ hasText: "200" }).count()).toBe(0);
    expect(page.url()).toContain("status=errors");
    await page.reload();
    await rows().filter({ hasText: "404" }).first().waitFor();
    expect(await page.getByLabel("Status").inputValue()).toBe("errors");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await rows().filter({ hasText: "200" }).first().waitFor();

    await page.getByRole("button", { name: "Pause" }).click();
    await ask("three", { model: "openai/gpt-4.1" });
    await page.locator("table", { hasText: "openai/gpt-4.1" }).first().waitFor();
    // An error names the models that there are.
    const answered = rows().filter({ hasText: "gpt-4.1" }).filter({ hasText: "200" });
    expect(await answered.count()).toBe(0);
    await page.getByRole("button", { name: "Resume" }).click();
    await answered.first().waitFor();
    await page.getByRole("button", { name: "openai/gpt-4.1" }).click();
    await expect.poll(() => rows().count()).toBe(1);
    expect(page.url()).toContain("model=openai");
    await screenshot(page, `${SCREENSHOTS}/live-filtered.png`);
  });

  it("the live page can be used with the keyboard", async () => {
    await ask("keys");
    await page.goto(url);
    await rows().first().waitFor();
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").innerText()).toBe("Skip to content");
    await page.keyboard.press("/");
    await page.keyboard.type("gpt-4o");
    expect(page.url()).toContain("text=gpt-4o");
    await rows().first().getByRole("link").focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/requests/*");
    await page.getByRole("heading", { name: /^Request [0-9a-f-]{36}/ }).waitFor();
  });

  it("the live page shows the story of a request that fell back", async () => {
    openai.next({ kind: "error", status: 503 });
    openai.next({ kind: "error", status: 503 });
    const id = await ask("story", { stream: true });
    await page.goto(`${url}/requests/${id}`);
    await page.getByText("Request on the egress listener").waitFor();
    const text = await page.locator("main").innerText();
    expect(text).toContain("anthropic/claude-test");
    expect(text).toMatch(/openai\/gpt-4o\s+503/);
    expect(text).toMatch(/First target\s+openai\/gpt-4o/);
    expect(text).toMatch(/Key\s+TEAM_KEY/);
    await screenshot(page, `${SCREENSHOTS}/story.png`, { fullPage: true });
    await page.goto(`${url}/requests/none`);
    await page.getByText("No request with this id").waitFor();
  });

  it("the page of sessions shows a session of the gateway while it runs", async () => {
    const headers = { "x-session-id": "ses_of_the_page", "user-agent": "an-agent/1.2 (test)" };
    await page.goto(`${url}/sessions`);
    await page.getByText("Live", { exact: true }).first().waitFor();
    await ask("first", {}, headers);
    const row = rows().filter({ hasText: "ses_of_the_page" });
    await row.waitFor();
    expect(await row.innerText()).toMatch(/an-agent\/1\.2[^]*TEAM_KEY/);
    await row.getByRole("link").click();
    await expect.poll(() => rows().count()).toBe(1);
    await ask("second", { stream: true }, headers);
    await expect.poll(() => rows().count()).toBe(2);
    await rows().first().getByRole("link").click();
    await page.getByText("Request on the egress listener").waitFor();
  });

  it.each(["OpenAI Chat Completions", "Anthropic Messages", "OpenAI Responses"])(
    "the playground streams by %s",
    async (api) => {
      await page.goto(`${url}/playground`);
      await page.getByLabel("API").selectOption(api);
      await page.getByLabel("Key of the listener").fill(TEAM_KEY);
      await page.getByLabel("Prompt", { exact: true }).fill("[pieces 20 pace 5]");
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByRole("link", { name: "Details" }).waitFor();
      await expect.poll(() => page.locator("#answer").innerText()).toMatch(/\d \d/);
      expect(await page.locator("#raw").innerText()).toContain("data: {");
      const curl = await page.locator("#curl-text").innerText();
      expect(curl).toContain("$TEAM_KEY");
      expect(curl).not.toContain(TEAM_KEY);
      await screenshot(page, `${SCREENSHOTS}/playground-${api.split(" ")[1] ?? ""}.png`);
      await page.getByRole("link", { name: "Details" }).click();
      await page.getByText("Request on the egress listener").waitFor();
    },
  );

  it("the playground stops, shows errors, and sends the curl that works", async () => {
    await page.goto(`${url}/playground`);
    await page.getByLabel("Key of the listener").fill(TEAM_KEY);
    await page.getByLabel("Prompt", { exact: true }).fill("[pieces 2000 pace 20]");
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => page.locator("#answer").innerText()).toMatch(/\d \d/);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor();

    await page.getByLabel("Stream").uncheck();
    await page.getByLabel("Model").fill("openai/unknown");
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator("#answer").getByText("openai/unknown").waitFor();

    await page.getByLabel("Model").fill("openai/gpt-4o");
    await page.getByLabel("Prompt", { exact: true }).fill("it's a test");
    const curl = await page.locator("#curl-text").innerText();
    const { stdout } = await desk.runInShell(`${curl} --silent --show-error`);
    expect(JSON.parse(stdout)).toMatchObject({ object: "chat.completion" });
    // A browser's console has each response with an error status.
    expect(tab.errors.splice(0).join()).toContain("404");
  });
});
