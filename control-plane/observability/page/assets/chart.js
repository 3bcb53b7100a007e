// A chart over time, drawn by uPlot, with a legend that shows the values under the pointer.
import { html, useEffect, useRef, useState } from "./preact.js";
import uPlot from "./uplot.js";
import { clock } from "./format.js";

const HEIGHT = 132;

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Follows the scheme of the system: a canvas does not. */
function useScheme() {
  const query = matchMedia("(prefers-color-scheme: light)");
  const [isLight, set] = useState(query.matches);
  useEffect(() => {
    const change = () => set(query.matches);
    query.addEventListener("change", change);
    return () => query.removeEventListener("change", change);
  }, []);
  return isLight;
}

function optionsOf({ series, show, width, onCursor }) {
  const quiet = color("quiet");
  const line = color("line");
  const font = "11px system-ui, 'DejaVu Sans', sans-serif";
  const axis = { stroke: quiet, font, ticks: { show: false }, grid: { stroke: line, width: 1 } };
  return {
    width,
    height: HEIGHT,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 5 } },
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 70,
        size: 24,
        values: (_, times) => times.map((one) => clock(one * 1000).slice(0, 5)),
      },
      {
        ...axis,
        size: 48,
        space: 36,
        // Equal texts, as of 0.5 and 1, are shown once.
        values: (_, values) =>
          values.map(show).map((text, at, texts) => (texts.indexOf(text) === at ? text : "")),
      },
    ],
    series: [
      {},
      ...series.map((one) => ({
        stroke: color(one.color),
        fill: one.isFilled ? `${color(one.color)}26` : undefined,
        width: 1.5,
        // A time without requests is a gap; a point between two gaps has no line.
        spanGaps: false,
        points: { show: one.values.some((value) => value === null), size: 4 },
      })),
    ],
    hooks: { setCursor: [(plot) => onCursor(plot.cursor.idx ?? undefined)] },
  };
}

/**
 * @param title the name of the panel
 * @param times seconds
 * @param series {label, color, values, total, isFilled}: `total` is shown while the pointer is elsewhere
 * @param show returns the text of a value
 */
export function Chart({ title, times, series, show }) {
  const place = useRef(null);
  const plot = useRef(null);
  const [at, setAt] = useState(undefined);
  const isLight = useScheme();
  const data = [times, ...series.map(({ values }) => values)];
  const hasGaps = series.map(({ values }) => values.some((one) => one === null));
  useEffect(() => {
    const element = place.current;
    const size = () => ({ width: Math.max(element.clientWidth, 80), height: HEIGHT });
    plot.current = new uPlot(
      optionsOf({ series, show, onCursor: setAt, ...size() }),
      data,
      element,
    );
    const observer = new ResizeObserver(() => plot.current.setSize(size()));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current.destroy();
    };
  }, [isLight, hasGaps.join()]);
  useEffect(() => plot.current.setData(data), [times, ...series.map(({ values }) => values)]);
  const summary = series.map(({ label, total }) => `${label} ${total}`).join(", ");
  return html`<section class="panel">
    <header>
      <h2>${title}</h2>
      <span class="right">${at === undefined ? "" : clock(times[at] * 1000).slice(0, 5)}</span>
    </header>
    <figure class="chart" role="img" aria-label=${`${title}: ${summary}`}>
      <div class="legend" aria-hidden="true">
        ${series.map(
          ({ label, color, values, total }) =>
            html`<span
              ><i class=${`swatch ${color}`}></i>${label}${" "}
              <b>${at === undefined ? total : show(values[at])}</b></span
            >`,
        )}
      </div>
      <div class="plot" ref=${place}></div>
    </figure>
  </section>`;
}
