// The forms of keys, groups and users: new ones, and changes of those that are there. What the admin API rejects is shown at its field.
import { html, useEffect, useRef, useState } from "./preact.js";
import { send } from "./api.js";

const PERIODS = ["month", "week", "day", "year", "total"];
const UNITS = ["minute", "second", "hour", "day"];
const NEW_BUDGET = { amount: "", per: "month" };
const NEW_LIMIT = { requests: "", tokens: "", unit: "minute" };

/** What sets that there is none, where an empty field means the configuration's default; the words of `gateway keys create`. */
const NONE = { models: "all", expires: "never", budget: "none", ratelimits: "none" };

const listOf = (text) =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

/** A whole number as a number; any other text as it is, for the API to reject. */
const countOf = (text) => (/^\d{1,15}$/.test(text) ? Number(text) : text);

/** Returns the fields of a record as texts. */
function textsOf({ name = "", owner = "", groups = [], models = [], ...row }) {
  const { expires = "", budget = [], ratelimits = [] } = row;
  return {
    ...{ name, owner, expires, groups: groups.join(", "), models: models.join(", ") },
    budget: budget.length === 0 ? [NEW_BUDGET] : budget,
    ratelimits:
      ratelimits.length === 0
        ? [NEW_LIMIT]
        : ratelimits.map((limit) => ({
            ...NEW_LIMIT,
            ...Object.fromEntries(Object.entries(limit).map(([key, value]) => [key, `${value}`])),
          })),
  };
}

/** Readers of the fields: what the API is sent; undefined for an empty one. */
const READERS = {
  name: (text) => text.trim() || undefined,
  owner: (text) => text.trim() || undefined,
  expires: (text) => text.trim() || undefined,
  groups: (text) => (text.trim() === "" ? undefined : listOf(text)),
  models: (text) => (text.trim() === "" ? undefined : listOf(text)),
  budget(rows) {
    const filled = rows.filter(({ amount }) => amount.trim() !== "");
    return filled.length === 0 ? undefined : filled;
  },
  ratelimits(rows) {
    const filled = rows.filter(({ requests, tokens }) => `${requests}${tokens}`.trim() !== "");
    if (filled.length === 0) return undefined;
    return filled.map(({ unit, ...counts }) => ({
      ...Object.fromEntries(
        Object.entries(counts)
          .filter(([, text]) => text.trim() !== "")
          .map(([name, text]) => [name, countOf(text.trim())]),
      ),
      unit,
    }));
  },
};

/** Returns whether a field has only the word for none. */
function isNone(name, value) {
  const texts = Array.isArray(value)
    ? value.flatMap(({ amount = "", requests = "", tokens = "" }) => [amount, requests, tokens])
    : [value];
  const filled = texts.map((text) => text.trim()).filter((text) => text !== "");
  return NONE[name] !== undefined && filled.length === 1 && filled[0] === NONE[name];
}

/** Returns the body of a request that creates: fields that are empty get the configuration's defaults. */
function bodyOfNew(values, names) {
  const entries = names.map((name) => [
    name,
    isNone(name, values[name]) ? null : READERS[name](values[name]),
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Returns the body of a change: the fields that differ, where one that was emptied removes what there is. */
function bodyOfChange(values, row, names) {
  const old = textsOf(row);
  const changed = names.filter(
    (name) => JSON.stringify(values[name]) !== JSON.stringify(old[name]),
  );
  const valueOf = (name) => {
    if (isNone(name, values[name])) return null;
    return READERS[name](values[name]) ?? (name === "groups" ? [] : null);
  };
  return {
    ...Object.fromEntries(changed.map((name) => [name, valueOf(name)])),
    version: row.version,
  };
}

/** Returns the member that a path of the API begins with: `budget` of `budget[0].amount`. */
const memberOf = (path) => /^\w+/.exec(path)?.[0];

/** A field with its label, and what the API has against it. @param path as the API names it, such as `budget[0].amount` */
function Field({ label, path, value, onChange, errors, hint, options, ...more }) {
  const own = errors.filter(({ field }) => field === path || field.startsWith(`${path}[`));
  const id = `error-${path}`;
  const about = {
    ...{ name: path, value, "aria-invalid": own.length > 0 ? "true" : undefined },
    "aria-describedby": own.length > 0 ? id : undefined,
  };
  const change = (event) => onChange(event.target.value);
  return html`<div class="field">
    <label
      >${label}
      ${
        options === undefined
          ? html`<input
              ...${about}
              placeholder=${hint}
              autocomplete="off"
              onInput=${change}
              ...${more}
            />`
          : html`<select ...${about} onChange=${change}>
              ${options.map((one) => html`<option value=${one} selected=${one === value}>${one}</option>`)}
            </select>`
      }
    </label>
    ${own.length === 0 ? null : html`<span class="wrong" id=${id}>${own.map(({ message }) => message).join(" ")}</span>`}
  </div>`;
}

/** Budgets or rate limits: a line for each, with buttons that add and remove one. */
function Lines({ title, path, empty, rows, onChange, errors, children }) {
  const set = (at, more) =>
    onChange(rows.map((row, place) => (place === at ? { ...row, ...more } : row)));
  const one = title.toLowerCase();
  // Those of a whole line, such as two for the same period; those of its fields are shown there.
  const whole = errors.filter(
    ({ field }) => /^\w+(?:\[\d+\])?$/.test(field) && memberOf(field) === path,
  );
  return html`<fieldset class="lines" aria-label=${`${title}s`}>
    ${rows.map(
      (row, at) =>
        html`<div class="toolbar" key=${at}>
          ${children(row, `${path}[${at}]`, (more) => set(at, more))}
          ${
            rows.length === 1
              ? null
              : html`<button
                  type="button"
                  aria-label=${`Remove ${one} ${at + 1}`}
                  onClick=${() => onChange(rows.filter((_, place) => place !== at))}
                >
                  Remove
                </button>`
          }
        </div>`,
    )}
    ${whole.map(({ message }) => html`<p class="wrong">${message}</p>`)}
    <button type="button" onClick=${() => onChange([...rows, empty])}>Add a ${one}</button>
  </fieldset>`;
}

function BudgetLines({ values, change, errors }) {
  return html`<${Lines}
    ...${{ title: "Budget", path: "budget", empty: NEW_BUDGET, rows: values.budget, errors }}
    onChange=${(budget) => change({ budget })}
  >
    ${({ amount, per }, path, set) =>
      html`<${Field}
          ...${{ label: "Budget", path: `${path}.amount`, value: amount, errors }}
          hint="20 USD"
          onChange=${(next) => set({ amount: next })}
        />
        <${Field}
          ...${{ label: "per", path: `${path}.per`, value: per, errors, options: PERIODS }}
          onChange=${(next) => set({ per: next })}
        />`}
  <//>`;
}

function LimitLines({ values, change, errors }) {
  return html`<${Lines}
    ...${{ title: "Rate limit", path: "ratelimits", empty: NEW_LIMIT, rows: values.ratelimits }}
    errors=${errors}
    onChange=${(ratelimits) => change({ ratelimits })}
  >
    ${(row, path, set) =>
      html`<${Field}
          ...${{ label: "Requests", path: `${path}.requests`, value: row.requests, errors }}
          hint="60"
          inputmode="numeric"
          onChange=${(requests) => set({ requests })}
        />
        <${Field}
          ...${{ label: "Tokens", path: `${path}.tokens`, value: row.tokens, errors }}
          hint="100000"
          inputmode="numeric"
          onChange=${(tokens) => set({ tokens })}
        />
        <${Field}
          ...${{ label: "each", path: `${path}.unit`, value: row.unit, errors, options: UNITS }}
          onChange=${(unit) => set({ unit })}
        />`}
  <//>`;
}

/** The fields of one line each: label and hint, by member. */
const TEXTS = {
  name: { label: "Name", required: true },
  owner: { label: "Owner", hint: "ann@example.com" },
  groups: { label: "Groups" },
  models: { label: "Models", hint: "openai/*, claude" },
  expires: { label: "Expires", hint: "90d" },
};
const LINES = { budget: BudgetLines, ratelimits: LimitLines };

/** Which fields a form has. */
const MEMBERS = {
  group: ["name", "models", "budget", "ratelimits"],
  user: ["name", "models", "budget", "ratelimits"],
  key: ["name", "owner", "groups", "models", "expires", "budget", "ratelimits"],
  // A person's own key has what its groups allow.
  ownKey: ["name", "groups"],
};

const PATHS = {
  group: "/api/v1/groups",
  user: "/api/v1/users",
  key: "/api/v1/keys",
  ownKey: "/api/v1/keys",
};

/**
 * @param kind a member of MEMBERS
 * @param row what is changed; undefined: a new one
 * @param hints texts in empty fields, by member
 * @param onDone receives the response
 */
export function RecordForm({ kind, row, hints = {}, onDone, onClose }) {
  const isNew = row === undefined;
  const [values, setValues] = useState(() => textsOf(row ?? {}));
  const [error, setError] = useState({ message: undefined, fields: [] });
  const [isSending, setSending] = useState(false);
  const form = useRef(null);
  // A name cannot be changed.
  const members = MEMBERS[kind].filter((name) => isNew || name !== "name");
  const change = (more) => setValues((old) => ({ ...old, ...more }));
  useEffect(() => form.current?.querySelector("input")?.focus(), []);
  useEffect(() => form.current?.querySelector("[aria-invalid]")?.focus(), [error]);
  const submit = async (event) => {
    event.preventDefault();
    setSending(true);
    try {
      const path = PATHS[kind];
      onDone(
        isNew
          ? await send("POST", path, bodyOfNew(values, members))
          : await send(
              "PATCH",
              `${path}/${encodeURIComponent(row.id ?? row.name)}`,
              bodyOfChange(values, row, members),
            ),
      );
    } catch (problem) {
      setSending(false);
      setError({ message: problem.message, fields: problem.fields ?? [] });
    }
  };
  const onKeyDown = (event) => {
    if (event.key === "Escape") onClose();
  };
  // A member without a field here.
  const elsewhere = error.fields
    .filter(({ field }) => !members.includes(memberOf(field)))
    .map(({ field, message }) => `${field}: ${message}.`);
  const what = kind === "ownKey" ? "key" : kind;
  const title = isNew ? `New ${what}` : `Change the ${what} ${row.name}`;
  const texts = members.filter((name) => name in TEXTS);
  return html`<form
    class="panel"
    aria-labelledby="record-form"
    ref=${form}
    onSubmit=${submit}
    onKeyDown=${onKeyDown}
  >
    <header><h2 id="record-form">${title}</h2></header>
    <div class="body toolbar">
      ${texts.map(
        (name) =>
          html`<${Field}
            key=${name}
            path=${name}
            value=${values[name]}
            errors=${error.fields}
            ...${TEXTS[name]}
            hint=${hints[name] ?? TEXTS[name].hint}
            required=${isNew && (TEXTS[name].required === true || (kind === "ownKey" && name === "groups"))}
            onChange=${(value) => change({ [name]: value })}
          />`,
      )}
    </div>
    ${members
      .filter((name) => name in LINES)
      .map(
        (name) =>
          html`<div class="body" key=${name}>
            <${LINES[name]} values=${values} change=${change} errors=${error.fields} />
          </div>`,
      )}
    ${error.message === undefined ? null : html`<p class="notice" role="alert">${[error.message, ...elsewhere].join(" ")}</p>`}
    <div class="body toolbar">
      <button type="submit" class="primary" disabled=${isSending}>
        ${isNew ? "Create" : "Save"}
      </button>
      <button type="button" onClick=${onClose}>Cancel</button>
    </div>
  </form>`;
}
