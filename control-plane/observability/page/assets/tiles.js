// What happens now: the sums of the last minute.
import { html } from "./preact.js";
import { compact, DASH, micro, money, percent, rate, timeParts } from "./format.js";

function Tile({ name, value, unit = "", more = "", kind = "", children }) {
  return html`<div class=${`tile ${kind}`}>
    <dt>${name}</dt>
    <dd class="value">${value}<span class="unit">${unit}</span></dd>
    <dd class="more">${more || "\u00a0"}</dd>
    ${children}
  </div>`;
}

function TimeTile({ name, times, more }) {
  const [value, unit] = timeParts(micro(times?.p50));
  const [slow, slowUnit] = timeParts(micro(times?.p95));
  return html`<${Tile}
    name=${name}
    value=${value}
    unit=${unit}
    more=${more ?? `p95 ${slow} ${slowUnit}`}
  />`;
}

/** Bars of the requests of each second. */
function Spark({ values, errors }) {
  const highest = Math.max(1, ...values);
  return html`<svg class="spark" viewBox="0 0 60 20" preserveAspectRatio="none" aria-hidden="true">
    ${values.map((value, at) => {
      const height = (18 * value) / highest;
      const failed = (18 * Math.min(errors[at], value)) / highest;
      const bar = (top, size, fill) =>
        html`<rect x=${at} y=${20 - top} width="0.8" height=${size} fill=${fill} />`;
      if (value === 0) return null;
      return html`${bar(height, height - failed, "currentColor")}${failed > 0 ? bar(failed, failed, "var(--bad)") : null}`;
    })}
  </svg>`;
}

export function Tiles({ snapshot }) {
  const { minute, spent, envoy, window = 60 } = snapshot ?? {};
  const perSecond = (count) => (count === undefined ? undefined : count / window);
  const isBad =
    minute !== undefined && minute.requests > 0 && minute.errors / minute.requests > 0.05;
  const [overhead, overheadUnit] = timeParts(micro(minute?.overhead.p95));
  const [provider, providerUnit] = timeParts(micro(minute?.provider.p50));
  return html`<dl class="tiles" aria-label="The last minute">
    <${Tile}
      name="Requests"
      value=${rate(perSecond(minute?.requests))}
      unit="/s"
      more=${minute === undefined ? "" : `${compact(minute.requests)} in the last minute`}
    >
      ${minute && html`<${Spark} values=${minute.bySecond.requests} errors=${minute.bySecond.errors} />`}
    <//>
    <${Tile}
      name="Tokens in"
      value=${rate(perSecond(minute?.input))}
      unit="/s"
      more=${minute === undefined ? "" : `${percent(minute.cached, minute.input)} from caches`}
    />
    <${Tile}
      name="Tokens out"
      value=${rate(perSecond(minute?.output))}
      unit="/s"
      more=${minute?.rate.p50 === undefined ? `${DASH} per request` : `${rate(minute.rate.p50)}/s per request (p50)`}
    />
    <${Tile}
      name="Spent today"
      value=${money(spent?.today)}
      more=${`${money(spent?.hour)} this hour${minute?.unpriced > 0 ? `, ${minute.unpriced} without a price` : ""}`}
    />
    <${Tile}
      name="Errors"
      kind=${isBad ? "bad" : ""}
      value=${minute === undefined ? DASH : percent(minute.errors, minute.requests).replace(" %", "")}
      unit=${minute?.requests > 0 ? "%" : ""}
      more=${minute === undefined ? "" : `${compact(minute.errors)} of ${compact(minute.requests)}`}
    />
    <${TimeTile} name="First token (p50)" times=${minute?.firstToken} />
    <${TimeTile} name="Duration (p50)" times=${minute?.duration} />
    <${TimeTile}
      name="Gateway overhead (p50)"
      times=${minute?.overhead}
      more=${`p95 ${overhead} ${overheadUnit} · provider ${provider} ${providerUnit}`}
    />
    <${Tile} name="Open requests" value=${compact(envoy?.open)} more="now" />
    <${Tile}
      name="Fallbacks"
      value=${compact(minute?.fallbacks)}
      more="in the last minute"
      kind=""
    />
  </dl>`;
}
