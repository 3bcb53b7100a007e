// Who may use the admin listener: programs with a token, browsers that logged in, and no page of another origin.
import { expect, it } from "vitest";
import { adminApp } from "../../../../control-plane/observability/admin-server.ts";

const TOKEN = "a-long-random-token-0123456789";
const HOST = "127.0.0.1:9464";

function appWith(token: string | undefined) {
  return adminApp({
    address: "127.0.0.1",
    port: 9464,
    token,
    metrics: () => Promise.resolve("metrics"),
    page: {
      model: () => undefined,
      budgets: () => [],
      parts: () => undefined,
      contentLog: () => undefined,
      now: Date.now,
    },
  });
}

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

async function ask(path: string, { headers = {}, ...more }: Sent = {}, token?: string) {
  const all = { host: HOST, ...headers };
  return appWith(token).request(`http://${HOST}${path}`, { headers: all, ...more });
}

it("the pages with costs show which price lists they are by, and of which day", async () => {
  for (const path of ["/", "/requests/1"])
    expect(await (await ask(path)).text()).toMatch(
      /Listed prices: .*litellm [\d.]+ of \d{4}-\d\d-\d\d/,
    );
  expect(await (await ask("/playground")).text()).not.toContain("Listed prices");
});

it("each response has a strict policy, and no CORS headers", async () => {
  for (const path of ["/", "/metrics", "/api/settings", "/nothing"]) {
    const { headers } = await ask(path);
    expect(headers.get("content-security-policy")).toContain("default-src 'self'");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  }
});

it("the host must be a loopback address without a token", async () => {
  for (const host of ["localhost:9464", "127.0.0.1", "[::1]:9464"])
    expect((await ask("/", { headers: { host } })).status, host).toBe(200);
  for (const host of ["evil.example", "localhost.evil.example", "10.0.0.1", ""])
    expect((await ask("/", { headers: { host } })).status, host).toBe(403);
});

it("a browser that logged in with the token logs out", async () => {
  const headers = { cookie: "", origin: `http://${HOST}` };
  const body = new URLSearchParams({ token: TOKEN }).toString();
  const entered = await ask("/login", { method: "POST", headers, body }, TOKEN);
  headers.cookie = entered.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const left = await ask("/sign-out", { method: "POST", headers }, TOKEN);
  expect(await left.json()).toEqual({ location: "/login" });
  expect(left.headers.getSetCookie()).toContainEqual(
    expect.stringMatching(/^gateway_session=; Max-Age=0/),
  );
});

it("a page of another origin, or of another port, gets nothing", async () => {
  const foreign: Record<string, string>[] = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" },
    { origin: "http://127.0.0.1:3000" },
    { origin: "null" },
    { origin: "https://evil.example" },
  ];
  for (const headers of foreign) {
    const name = JSON.stringify(headers);
    expect((await ask("/metrics", { headers })).status, name).toBe(403);
    expect((await ask("/api/live", { headers })).status, name).toBe(403);
    const body = "{}";
    const path = "/api/playground/v1/messages";
    expect((await ask(path, { method: "POST", headers, body })).status, name).toBe(403);
  }
  const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
  expect((await ask("/", { headers: link })).status).toBe(200);
  const form = { ...link, "content-type": "text/plain" };
  const path = "/api/playground/v1/messages";
  expect((await ask(path, { method: "POST", headers: form, body: "{}" })).status).toBe(403);
  expect((await ask("/", { headers: { "sec-fetch-site": "same-origin" } })).status).toBe(200);
});

it("programs send the token, and browsers get a form", async () => {
  expect((await ask("/metrics", {}, TOKEN)).status).toBe(401);
  const wrong = { headers: { authorization: "Bearer wrong" } };
  expect((await ask("/metrics", wrong, TOKEN)).status).toBe(401);
  const right = { headers: { authorization: `Bearer ${TOKEN}` } };
  expect((await ask("/metrics", right, TOKEN)).status).toBe(200);
  const browser = await ask("/?status=errors", { headers: { accept: "text/html" } }, TOKEN);
  expect(browser.status).toBe(303);
  expect(browser.headers.get("location")).toBe("/login?next=%2F%3Fstatus%3Derrors");
});

async function logIn(token: string, next = "/") {
  const body = new URLSearchParams({ token, next }).toString();
  return ask("/login", { method: "POST", body }, TOKEN);
}

it("the form sets a cookie that is valid for this token only", async () => {
  expect((await logIn("wrong")).status).toBe(401);
  const response = await logIn(TOKEN, "/playground");
  expect(response.status).toBe(303);
  expect(response.headers.get("location")).toBe("/playground");
  const cookie = response.headers.get("set-cookie") ?? "";
  expect(cookie).toMatch(/HttpOnly.*SameSite=Strict/);
  expect(cookie).not.toContain(TOKEN);
  const headers = { cookie: cookie.split(";")[0] ?? "" };
  expect((await ask("/", { headers }, TOKEN)).status).toBe(200);
  expect((await ask("/metrics", { headers }, `${TOKEN}-other`)).status).toBe(401);
  const [name = "", proof = ""] = headers.cookie.split(/=[^.]*\./);
  const value = Buffer.from(JSON.stringify({ expires: 9_999_999_999 })).toString("base64url");
  const later = { cookie: `${name}=${value}.${proof}` };
  expect((await ask("/metrics", { headers: later }, TOKEN)).status).toBe(401);
});

it.each(["//evil.example", "/\\evil.example", "https://evil.example", "/\n//evil.example"])(
  "the form never leads to %j",
  async (next) => {
    expect((await logIn(TOKEN, next)).headers.get("location")).toBe("/");
  },
);

it("the files of the page have a hash in their path and are kept for ever", async () => {
  const page = await (await ask("/")).text();
  const [, path = ""] = /src="(\/assets\/[^"]+)"/.exec(page) ?? [];
  const script = await ask(path);
  expect(script.headers.get("cache-control")).toContain("immutable");
  expect(script.headers.get("content-type")).toContain("text/javascript");
  for (const name of ["preact.js", "uplot.js", "uplot.css", "style.css"])
    expect((await ask(path.replace("app.js", name))).status, name).toBe(200);
  expect((await ask(path.replace(/[0-9a-f]{16}/, "0".repeat(16)))).status).toBe(404);
  expect((await ask("/assets/x/..%2f..%2fadmin-server.ts")).status).toBe(404);
});
