// What chooses the rows of a page: its fields, and the filters in its URL.
import { html, useEffect, useState } from "./preact.js";
import { load, showConnection } from "./api.js";

/** The filters are in the URL, so that a link and a reload show the same. */
function filtersOfUrl(defaults, ranges) {
  const query = new URLSearchParams(location.search);
  const found = Object.entries(defaults).map(([name, usual]) => [name, query.get(name) ?? usual]);
  const filters = Object.fromEntries(found);
  return filters.range in ranges ? filters : { ...filters, range: defaults.range };
}

/**
 * @param defaults texts by name, which the URL does not need; ranges: what `range` can be
 * @returns the filters, and a function that changes some
 */
export function useFilters(defaults, ranges) {
  const [filters, set] = useState(() => filtersOfUrl(defaults, ranges));
  const change = (more) => {
    const next = { ...filters, ...more };
    const query = new URLSearchParams(
      Object.entries(next).filter(([name, value]) => value !== defaults[name]),
    );
    history.replaceState(null, "", query.size === 0 ? location.pathname : `?${query}`);
    set(next);
  };
  return [filters, change];
}

/** The names of models and keys, for filters. */
export function useSettings() {
  const [settings, set] = useState({ models: [], keys: [] });
  useEffect(() => {
    load("/api/settings").then(set, () => showConnection("warn", "Not connected"));
  }, []);
  return settings;
}

export function Select({ label, value, values, none, onChange }) {
  const all = value === "" || values.includes(value) ? values : [...values, value];
  return html`<label class="field"
    >${label}
    <select value=${value} onChange=${(event) => onChange(event.target.value)}>
      <option value="">${none}</option>
      ${all.map((one) => html`<option value=${one} selected=${one === value}>${one}</option>`)}
    </select></label
  >`;
}

export function Choice({ label, name, value, values, onChange }) {
  return html`<fieldset class="choice" aria-label=${label}>
    ${Object.entries(values).map(
      ([one, text]) =>
        html`<label
          ><input
            type="radio"
            name=${name}
            value=${one}
            checked=${one === value}
            onChange=${() => onChange(one)}
          />${text}</label
        >`,
    )}
  </fieldset>`;
}

export function Time({ label, value, onChange }) {
  return html`<label class="field"
    >${label}
    <input
      type="datetime-local"
      value=${value}
      onInput=${(event) => onChange(event.target.value)}
    />
  </label>`;
}
