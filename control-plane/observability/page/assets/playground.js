// A request to any configured model in any of the client's formats, through the gateway's own listener.
import { html, useEffect, useRef, useState } from "./preact.js";
import { load, showConnection } from "./api.js";
import { DASH, time } from "./format.js";
import { bodyOf, curlOf, textOf, DIALECT_NAMES } from "./dialects.js";
import { readEvents } from "./sse.js";

/** Raw text that is kept of a response. */
const MAX_RAW = 200_000;

const IDLE = { isOpen: false, text: "", raw: "", status: undefined, error: undefined };

/** Sends a request and reports what comes. */
async function send({ dialect, body, key, signal, onChange }) {
  const started = performance.now();
  const state = { ...IDLE, isOpen: true };
  const report = (more) => {
    Object.assign(state, more, { ms: performance.now() - started });
    onChange({ ...state });
  };
  report({});
  try {
    const headers = { "content-type": "application/json" };
    if (key !== "") headers["x-playground-key"] = key;
    const response = await fetch(`/api/playground${dialect.path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      signal,
    });
    report({ status: response.status, id: response.headers.get("x-playground-id") ?? undefined });
    const isStream = (response.headers.get("content-type") ?? "").startsWith("text/event-stream");
    const decoder = new TextDecoder();
    const events = readEvents();
    for await (const bytes of chunksOf(response.body)) {
      const piece = decoder.decode(bytes, { stream: true });
      const raw = (state.raw + piece).slice(-MAX_RAW);
      const more = isStream
        ? events(piece)
            .map((data) => textOf(dialect.name, data))
            .join("")
        : "";
      const firstMs = state.firstMs ?? (more === "" ? undefined : performance.now() - started);
      report({ raw, text: state.text + more, firstMs });
    }
    if (!isStream) report(wholeOf(dialect.name, state.raw, response.ok));
    report({ isOpen: false });
  } catch (error) {
    const isStopped = error.name === "AbortError";
    report({ isOpen: false, error: isStopped ? "Stopped." : error.message });
  }
}

async function* chunksOf(stream) {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

function wholeOf(name, raw, isOk) {
  try {
    const value = JSON.parse(raw);
    const pretty = { raw: JSON.stringify(value, undefined, 2) };
    return isOk
      ? { ...pretty, text: textOf(name, value) }
      : { ...pretty, error: value.error?.message ?? raw };
  } catch {
    return isOk ? { text: raw } : { error: raw };
  }
}

function Copy({ text, label }) {
  const [isDone, set] = useState(false);
  const copy = async () => {
    await navigator.clipboard?.writeText(text);
    set(true);
    setTimeout(() => set(false), 1500);
  };
  return html`<button onClick=${copy}>${isDone ? "Copied" : label}</button>`;
}

export function PlaygroundPage() {
  const [settings, setSettings] = useState(undefined);
  const [problem, setProblem] = useState(undefined);
  const [form, setForm] = useState({
    model: "",
    dialect: "openai_chat",
    system: "",
    prompt: "Explain in two sentences what a gateway is.",
    maxTokens: 500,
    isStream: true,
  });
  // In memory only.
  const [key, setKey] = useState("");
  const [result, setResult] = useState(IDLE);
  const abort = useRef(undefined);
  const events = useRef(null);
  useEffect(() => {
    showConnection("", "");
    load("/api/settings").then(
      ({ playground }) => {
        setSettings(playground);
        setForm((old) => ({
          ...old,
          model: playground.defaultModel ?? playground.models[0] ?? "",
        }));
      },
      (error) => setProblem(error.message),
    );
    return () => abort.current?.abort();
  }, []);
  useEffect(() => {
    if (events.current !== null) events.current.scrollTop = events.current.scrollHeight;
  }, [result.raw]);
  if (settings === undefined)
    return html`${problem === undefined ? null : html`<p class="notice" role="alert">${problem}</p>`}`;
  const dialect =
    settings.dialects.find(({ name }) => name === form.dialect) ?? settings.dialects[0];
  const body = bodyOf(dialect.name, form);
  const curl = curlOf(settings, dialect, body);
  const set = (name) => (event) => {
    const { type, checked, value } = event.target;
    setForm({
      ...form,
      [name]: type === "checkbox" ? checked : type === "number" ? Number(value) : value,
    });
  };
  const start = (event) => {
    event.preventDefault();
    abort.current?.abort();
    abort.current = new AbortController();
    void send({ dialect, body, key, signal: abort.current.signal, onChange: setResult });
  };
  const onKeyDown = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) start(event);
  };
  return html`
    <h1 class="skip">Playground</h1>
    <div class="split">
      <section class="panel" aria-labelledby="request">
        <header><h2 id="request">Request</h2></header>
        <form class="form" onSubmit=${start} onKeyDown=${onKeyDown}>
          <div class="pair">
            <label class="block"
              >Model
              <input
                list="models"
                required
                autocomplete="off"
                value=${form.model}
                onInput=${set("model")}
              />
              <datalist id="models">
                ${settings.models.map((name) => html`<option value=${name}></option>`)}
              </datalist></label
            >
            <label class="block"
              >API
              <select value=${dialect.name} onChange=${set("dialect")}>
                ${settings.dialects.map(({ name }) => html`<option value=${name} selected=${name === dialect.name}>${DIALECT_NAMES[name] ?? name}</option>`)}
              </select></label
            >
          </div>
          <label class="block"
            >System prompt <input value=${form.system} onInput=${set("system")} placeholder="none"
          /></label>
          <label class="block"
            >Prompt
            <textarea required value=${form.prompt} onInput=${set("prompt")}></textarea>
          </label>
          <div class="pair">
            <label class="block"
              >Output tokens at most
              <input
                type="number"
                min="1"
                max="200000"
                required
                value=${form.maxTokens}
                onInput=${set("maxTokens")}
            /></label>
            ${
              settings.keyVariable === undefined
                ? null
                : html`<label class="block"
                    >Key of the listener
                    <input
                      type="password"
                      autocomplete="off"
                      required
                      value=${key}
                      onInput=${(event) => setKey(event.target.value)}
                      placeholder=${`value of ${settings.keyVariable}`}
                  /></label>`
            }
          </div>
          <div class="actions">
            <button class="primary" type="submit" disabled=${result.isOpen}>Send</button>
            <button
              type="button"
              disabled=${!result.isOpen}
              onClick=${() => abort.current?.abort()}
            >
              Stop
            </button>
            <label class="check"
              ><input
                type="checkbox"
                checked=${form.isStream}
                onChange=${set("isStream")}
              />Stream</label
            >
          </div>
          <p class="quiet" style=${{ margin: 0 }}>
            The request is real: it reaches the provider and costs money.
          </p>
        </form>
      </section>
      <div class="stack">
        <section class="panel" aria-labelledby="response">
          <header>
            <h2 id="response">Response</h2>
            ${result.status === undefined ? null : html`<span class=${`badge ${result.status < 400 ? "" : result.status < 500 ? "warn" : "bad"}`}>${result.status}</span>`}
            <span class="right" role="status"
              >${result.isOpen ? "streaming, " : ""}${result.firstMs === undefined ? "" : `first text ${time(result.firstMs)}, `}${result.ms === undefined ? DASH : time(result.ms)}</span
            >
            ${result.id === undefined ? null : html`<a href=${`/requests/${encodeURIComponent(result.id)}`}>Details</a>`}
          </header>
          <div class="answer" id="answer">
            ${result.text}${result.error === undefined ? null : html`<span class="bad-text">${result.text === "" ? "" : "\n"}${result.error}</span>`}
          </div>
          <div class="events" ref=${events} tabindex="0" role="region" aria-label="Raw response">
            <pre id="raw">${result.raw}</pre>
          </div>
        </section>
        <section class="panel" aria-labelledby="curl">
          <header>
            <h2 id="curl">The same with curl</h2>
            <span class="right"><${Copy} text=${curl} label="Copy" /></span>
          </header>
          <pre tabindex="0" id="curl-text">${curl}</pre>
        </section>
      </div>
    </div>
  `;
}
