// A headless Chromium that reports whatever a user would find in its console: errors, and what the page's policy refused.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { inject } from "vitest";

/** CI keeps them. */
export const SCREENSHOTS = join(import.meta.dirname, "../../build/screenshots");

export const DESKTOP = { width: 1440, height: 900 };
export const WIDE = { width: 1920, height: 1080 };
export const PHONE = { width: 390, height: 844 };

export async function openBrowser(): Promise<Browser> {
  const found = inject("chromium");
  if ("missing" in found) throw new Error(found.missing);
  mkdirSync(SCREENSHOTS, { recursive: true });
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({
    executablePath: found.file,
    args: [...asRoot, "--disable-gpu", "--disable-dev-shm-usage"],
  });
}

/** A text that runs, and sets the title of the document, if a page does not escape it. */
export const HOSTILE = `"><img src=x onerror="document.title='run'"><script>document.title='run'</script>`;

/** A busy machine sometimes has no frame to capture. */
export async function screenshot(
  page: Page,
  path: string,
  options: { fullPage?: boolean } = {},
): Promise<void> {
  for (let left = 3; ; left--) {
    try {
      await page.screenshot({ path, ...options });
      return;
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

export interface Tab {
  page: Page;
  /** Errors in the console so far, those of the policy included. */
  errors: string[];
  close: () => Promise<void>;
}

export async function openTab(browser: Browser, options: BrowserContextOptions = {}): Promise<Tab> {
  const context = await browser.newContext({
    viewport: DESKTOP,
    colorScheme: "dark",
    timezoneId: "UTC",
    locale: "en-US",
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  return { page, errors, close: () => context.close() };
}
