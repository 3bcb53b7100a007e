// The pages that a browser shows during a login. They need no script and no other file.
import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import { LOGIN_PATHS } from "../../model/login.ts";
import type { Waiting } from "./device-grants.ts";

const STYLE = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
main{max-width:26rem;margin:12vh auto;padding:0 1rem}
h1{font-size:1.4rem}
output,input{font:1.6rem/1.4 ui-monospace,monospace;letter-spacing:.1em}
output{display:block;padding:.5rem;border:1px solid;border-radius:.4rem;text-align:center}
input{width:100%;box-sizing:border-box;padding:.3rem}
button{font:inherit;padding:.5rem 1.2rem;margin:1rem .5rem 0 0}
`;

/** Headers of the pages. Chromium applies `form-action` to redirects too, and the form leads to the identity provider. */
export const PAGE_HEADERS = {
  "content-security-policy": `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; frame-ancestors 'none'`,
  // Without a referrer, a browser sends the form with \`origin: null\`.
  "referrer-policy": "same-origin",
};

export type Page = ReturnType<typeof html>;

/** Asks for the code that the terminal shows. */
export function codePage(problem?: string): Page {
  return page(
    "Log in",
    html`${problem === undefined ? "" : html`<p role="alert">${problem}</p>`}
      <form method="get" action="${LOGIN_PATHS.page}">
        <label for="user_code">Code that your terminal shows</label>
        <input
          id="user_code"
          name="user_code"
          autocomplete="off"
          maxlength="32"
          required
          autofocus
        />
        <button>Continue</button>
      </form>`,
  );
}

/** Asks whether the login is the person's own. Nothing is sent before the answer. */
export function confirmPage({ userCode, origin }: Waiting, issuer: string): Page {
  const { program, address } = origin;
  const from = address === undefined ? "" : ` on ${address}`;
  return page(
    "Log in",
    html`<p>${program}${from} asks to log in with the code</p>
      <output>${userCode}</output>
      <p>
        Continue only if your own terminal shows this code. Whoever sees it there can send requests
        in your name.
      </p>
      <form method="post" action="${LOGIN_PATHS.page}">
        <input type="hidden" name="user_code" value="${userCode}" />
        <button name="answer" value="continue">Continue at ${new URL(issuer).host}</button>
        <button name="answer" value="deny">Deny</button>
      </form>`,
  );
}

export function messagePage(title: string, message: string): Page {
  return page(title, html`<p role="alert">${message}</p>`);
}

function page(title: string, content: Page): Page {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title} · gateway</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <style>
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`;
}
