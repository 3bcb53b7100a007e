// The input tokens of a turn or a session as a bar: what came from a cache, what was written to one, and the rest.
import { html } from "./preact.js";
import { compact, DASH, percent } from "./format.js";

/** The numbers are beside it, for those who do not see it. */
export function CacheBar({ input, cached = 0, cacheWrite = 0 }) {
  if (!input) return html`<span class="none">${DASH}</span>`;
  const read = (100 * Math.min(cached, input)) / input;
  const written = Math.min((100 * cacheWrite) / input, 100 - read);
  const title = `${compact(cached)} of ${compact(input)} tokens from a cache, ${compact(cacheWrite)} written to one`;
  return html`<span class="budget cache" title=${title}
    ><svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="all" width="100" height="6" />
      <rect class="good" width=${read} height="6" />
      <rect class="written" x=${read} width=${written} height="6" /></svg
    ><span>${percent(cached, input)}</span></span
  >`;
}
