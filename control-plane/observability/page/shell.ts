// The HTML documents: a frame that the scripts of assets/ fill, and the form to log in, which needs none.
import { catalogueNote } from "../../../model/facts/catalogue-note.ts";
import { ASSETS } from "./assets.ts";

/** The pages, by the script that fills them. */
export type View = "live" | "story" | "sessions" | "session" | "playground" | "keys";

const TITLES: Readonly<Record<View, string>> = {
  live: "Live",
  story: "Request",
  sessions: "Sessions",
  session: "Session",
  playground: "Playground",
  keys: "Keys",
};

export function shell(view: View): string {
  const links = [
    { href: "/", view: "live", text: "Live" },
    { href: "/sessions", view: "sessions", text: "Sessions" },
    { href: "/playground", view: "playground", text: "Playground" },
    { href: "/keys", view: "keys", text: "Keys" },
  ].map(
    (link) =>
      `<a href="${link.href}"${link.view === view ? ' aria-current="page"' : ""}>${link.text}</a>`,
  );
  return document(
    TITLES[view],
    `<body data-view="${view}">
<a class="skip" href="#main">Skip to content</a>
<header class="bar">
<a class="brand" href="/"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 4v16M20 4v16M4 12h16M13 7l5 5-5 5"/></svg>gateway</a>
<nav aria-label="Pages">${links.join("")}</nav>
<p id="connection" role="status"></p>
<p id="account"></p>
</header>
<main id="main" tabindex="-1"><noscript>This page needs JavaScript.</noscript></main>
${view === "playground" ? "" : `<footer><p class="more">Listed prices: ${escaped(catalogueNote())}.</p></footer>`}
<script type="module" src="${ASSETS.url("app.js")}"></script>
</body>`,
  );
}

export interface LoginForm {
  /** Path after the login. */
  next: string;
  /** Whether the token can be typed in. */
  hasToken: boolean;
  /** URL of the identity provider; undefined if people cannot sign in. */
  issuer?: string | undefined;
  isWrong?: boolean;
}

export function loginPage({ next, hasToken, issuer, isWrong = false }: LoginForm): string {
  const signIn =
    issuer === undefined
      ? ""
      : `<a class="button" href="/sign-in?next=${escaped(encodeURIComponent(next))}">Sign in at ${escaped(new URL(issuer).host)}</a>`;
  const token = hasToken
    ? `<form method="post" action="/login">
<label for="token">Token of <code>observability.metrics</code></label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus${isWrong ? ' aria-invalid="true" aria-describedby="wrong"' : ""}>
${isWrong ? '<p id="wrong" class="wrong" role="alert">The token is not correct.</p>' : ""}
<input type="hidden" name="next" value="${escaped(next)}">
<button type="submit">Log in</button>
</form>`
    : "";
  return document(
    "Log in",
    `<body>
<main id="main" class="login">
<h1>gateway</h1>
${signIn}
${token}
</main>
</body>`,
  );
}

/** Returns a page with a sentence and the way back to the login. */
export function messagePage(title: string, message: string): string {
  return document(
    escaped(title),
    `<body>
<main id="main" class="login">
<h1>${escaped(title)}</h1>
<p class="wrong" role="alert">${escaped(message)}</p>
<a class="button" href="/login">Back</a>
</main>
</body>`,
  );
}

function document(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · gateway</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<link rel="icon" href="${ASSETS.url("icon.svg")}">
<link rel="stylesheet" href="${ASSETS.url("uplot.css")}">
<link rel="stylesheet" href="${ASSETS.url("style.css")}">
</head>
${body}
</html>
`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
