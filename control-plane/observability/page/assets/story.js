// One request: what happened, attempt by attempt, and where its time went.
import { html, useEffect, useState } from "./preact.js";
import { load, showConnection } from "./api.js";
import { apiOf } from "./filter.js";
import {
  compact,
  dateAndTime,
  DASH,
  money,
  rate,
  statusClass,
  statusText,
  time,
} from "./format.js";

/** Characters of a fact that has a line for itself. */
const LONG = 60;
const LISTENERS = {
  ingress: "Prompt on the ingress listener",
  egress: "Request on the egress listener",
  internal_egress: "Call of the model server",
  // Of a record that an earlier version wrote.
  own_egress: "Call of the model server",
};

const STEPS = {
  guard: "Jailbreak guard",
  target: "Choice of the prompt target",
  extract: "Parameters from the prompt",
  api: "API of the prompt target",
};

/** Returns the parts of a request's time in their order: {what, kind, start, ms, note}. */
export function partsOf(row) {
  const parts = [];
  let at = 0;
  const add = (what, kind, ms, note = "") => {
    if (ms === undefined || ms === null) return;
    parts.push({ what, kind, start: at, ms, note });
    at += ms;
  };
  for (const [name, what] of Object.entries(STEPS)) add(what, "step", row.steps?.[name]);
  for (const { target, status, error, message, ms } of row.failedAttempts ?? [])
    add(target, "failed", ms, [status, error, message].filter(Boolean).join(" "));
  if (at === 0 && row.attempts === 1) add("Gateway, request", "own", row.requestOverhead);
  const after = row.attempts >= 1 ? (row.responseOverhead ?? 0) : 0;
  const rest = Math.max(row.duration - after - at, 0);
  if (row.model !== "") {
    const wait = row.firstToken === undefined ? undefined : Math.max(row.firstToken - at, 0);
    if (wait !== undefined && wait < rest) {
      add(`${row.model}, first token`, "wait", wait);
      add(`${row.model}, stream`, "stream", rest - wait);
    } else add(row.model, "wait", rest);
  } else if (parts.length === 0 || rest > 1) add("Gateway", "own", rest);
  if (after > 0) add("Gateway, response", "own", after);
  return parts;
}

function Timeline({ row, start, whole }) {
  const offset = row.start - start;
  return html`<div class="timeline">
    <ol>
      ${partsOf(row).map(
        ({ what, kind, start: from, ms, note }) =>
          html`<li>
            <span class="what" title=${`${what} ${note}`}
              >${what} ${note === "" ? null : html`<span class="bad-text">${note}</span>`}</span
            >
            <svg class="track" viewBox="0 0 1000 14" preserveAspectRatio="none" aria-hidden="true">
              <rect
                class=${kind}
                x=${(1000 * (offset + from)) / whole}
                width=${Math.max((1000 * ms) / whole, 3)}
                y="0"
                height="14"
              />
            </svg>
            <span class="ms">${time(ms)}</span>
          </li>`,
      )}
    </ol>
  </div>`;
}

function sessionLink({ session, key }) {
  const query = new URLSearchParams({ key });
  return html`<a href=${`/sessions/${encodeURIComponent(session)}?${query}`}>${session}</a>`;
}

function factsOf(row) {
  return [
    ["Client asked for", row.requested],
    ["First target", row.firstTarget],
    ["Model", row.model || undefined],
    ["Model as the provider reports it", row.responseModel],
    ["Key", row.key || undefined],
    ["Session", row.session && sessionLink(row)],
    ["Agent", row.agent],
    ["Sub-agent", row.subagent],
    ["Started by", row.parent],
    ["Purpose", row.purpose?.replaceAll("_", " ")],
    ["Target and key", row.isKept ? "those of the session" : undefined],
    ["API", `${apiOf(row)}${row.isStream ? ", stream" : ""}`],
    ["Tokens in", row.input === undefined ? undefined : row.input.toLocaleString("en")],
    ["of them cached", row.cached?.toLocaleString("en")],
    ["written to a cache", row.cacheWrite?.toLocaleString("en")],
    ["Tokens out", row.output?.toLocaleString("en")],
    ["of them reasoning", row.reasoning?.toLocaleString("en")],
    [
      "Cost",
      row.isUnpriced ? "no known price" : row.cost === undefined ? undefined : money(row.cost),
    ],
    ["First token", row.firstToken === undefined ? undefined : time(row.firstToken)],
    ["Output tokens per second", row.rate === undefined ? undefined : rate(row.rate)],
    ["Gateway overhead", row.overhead === undefined ? undefined : time(row.overhead)],
    ["Provider", row.provider === undefined ? undefined : time(row.provider)],
    ["Attempts", row.attempts],
    ["Finish reason", row.finish?.replaceAll("_", " ")],
    [
      "Error",
      row.error === ""
        ? undefined
        : [...new Set([row.error, row.errorCode])].filter(Boolean).join(", "),
    ],
    ["Error message", row.message],
    ["Tokens that it needs", row.contextTokens?.toLocaleString("en")],
    ["Context window", row.contextLimit?.toLocaleString("en")],
    ["Envoy's flags", row.flags?.join(", ")],
    ["Dropped members", row.dropped],
    ["Guard", row.guard],
    ["Prompt target", row.promptTarget],
    ["Response by", row.owner],
    ["Bytes", `${compact(row.bytesReceived)} received, ${compact(row.bytesSent)} sent`],
  ].filter(([, value]) => value !== undefined);
}

function Part({ row, start, whole }) {
  return html`<section class="panel">
    <header>
      <h2>${LISTENERS[row.listener] ?? "Request"}</h2>
      <span class=${`badge ${statusClass(row)}`}>${statusText(row)}</span>
      <span class="right">${time(row.duration)}</span>
    </header>
    <${Timeline} row=${row} start=${start} whole=${whole} />
    <dl class="facts">
      ${factsOf(row).map(
        ([name, value]) =>
          html`<div class=${String(value).length > LONG ? "long" : ""}>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
  </section>`;
}

/** The bodies, if `observability.content` is on. */
function Content({ content }) {
  if (content === undefined)
    return html`<section class="panel">
      <p class="empty">The log of bodies (observability.content) does not have this request.</p>
    </section>`;
  const parts = [
    ["Request", content.request, content.isRequestCut],
    ["Response", content.response, content.isResponseCut],
  ];
  return parts
    .filter(([, text]) => text !== undefined)
    .map(
      ([name, text, isCut]) =>
        html`<details class="panel content" open>
          <summary>${name} body${isCut ? ", cut to observability.content.max_bytes" : ""}</summary>
          <pre tabindex="0">${pretty(text)}</pre>
        </details>`,
    );
}

/** JSON with indentation; any other text as it is. */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

function headline(first, whole, count, cost) {
  const records = count === 1 ? [] : [`${count} records`];
  const words = [
    dateAndTime(first.start),
    time(whole),
    ...records,
    `cost ${cost === 0 ? DASH : money(cost)}`,
  ];
  return `${words.join(" · ")}. `;
}

export function StoryPage() {
  const id = decodeURIComponent(location.pathname.slice("/requests/".length));
  const [story, set] = useState(undefined);
  const [error, setError] = useState(undefined);
  useEffect(() => {
    let tries = 0;
    let timer;
    const look = async () => {
      try {
        const found = await load(`/api/requests/${encodeURIComponent(id)}`);
        set(found);
        setError(undefined);
        // A request that is still open, or that the log does not have yet.
        if (found.requests.length === 0 && ++tries < 60) timer = setTimeout(look, 1000);
      } catch (failed) {
        setError(failed.message);
      }
    };
    showConnection("", "");
    void look();
    return () => clearTimeout(timer);
  }, []);
  const requests = story?.requests ?? [];
  const start = Math.min(...requests.map((row) => row.start));
  const whole = Math.max(...requests.map((row) => row.start + row.duration - start), 1);
  const cost = requests.reduce((sum, row) => sum + (row.cost ?? 0), 0);
  const first = requests[0];
  return html`
    <div class="title">
      <h1>Request <span class="mono">${id}</span></h1>
      <button onClick=${() => navigator.clipboard?.writeText(id)}>Copy id</button>
    </div>
    ${
      first === undefined
        ? null
        : html`<p class="quiet">
            ${headline(first, whole, requests.length, cost)}
            <code>gateway logs --request-id ${id}</code> shows its access logs.
          </p>`
    }
    ${error === undefined ? null : html`<p class="notice" role="alert">${error}</p>`}
    ${story?.problem === undefined ? null : html`<p class="notice" role="alert">${story.problem}</p>`}
    ${
      story !== undefined && requests.length === 0
        ? html`<section class="panel">
            <p class="empty">
              The history has no request with this id. A request appears when it has ended.
            </p>
          </section>`
        : null
    }
    ${requests.map((row) => html`<${Part} key=${row.number} row=${row} start=${start} whole=${whole} />`)}
    ${requests.length > 0 && story.hasContent ? html`<${Content} content=${story.content} />` : null}
    ${
      requests.length === 0
        ? null
        : html`<details class="panel">
            <summary>As JSON</summary>
            <pre tabindex="0">${JSON.stringify(requests, undefined, 2)}</pre>
          </details>`
    }
  `;
}
