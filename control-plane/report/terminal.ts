// What the command line prints: colours only where somebody sees them, tables, times and sizes for people.
import picocolors from "picocolors";
import type { Environment } from "./environment.ts";

export type Colors = ReturnType<typeof picocolors.createColors>;

/** NO_COLOR wins over FORCE_COLOR (`0` and `false` switch off), which wins over whether the stream is a terminal. */
export function wantsColor(environment: Environment, stream: { isTTY?: boolean }): boolean {
  if (environment["NO_COLOR"]) return false;
  const forced = environment["FORCE_COLOR"];
  if (forced !== undefined && forced !== "") return forced !== "0" && forced !== "false";
  return stream.isTTY === true && environment["TERM"] !== "dumb";
}

/** Colour functions for a stream; they return the text as it is where no colour is wanted. */
export function colorsFor(stream: { isTTY?: boolean }): Colors {
  return picocolors.createColors(wantsColor(process.env, stream));
}

/** Left-aligned columns, two blanks apart; the last one is not padded. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, visibleLength(cell));
    });
  }
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const isLast = column === row.length - 1;
        return isLast ? cell : cell + " ".repeat((widths[column] ?? 0) - visibleLength(cell));
      })
      .join("  ")
      .trimEnd(),
  );
}

function visibleLength(cell: string): number {
  // eslint-disable-next-line no-control-regex -- colours are control sequences
  return cell.replace(/\x1b\[[0-9;]*m/g, "").length;
}

/** Returns text of a client or a server without characters that control the terminal, or the direction of the text. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, "?");
}

/** `3 problems`, `1 warning`. */
export function count(number: number, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** Seconds → `42s`, `3m 07s`, `5h 12m`, `2d 3h`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [days, hours, minutes] = [whole / 86400, (whole / 3600) % 24, (whole / 60) % 60].map(
    Math.floor,
  ) as [number, number, number];
  if (days > 0) return `${String(days)}d ${String(hours)}h`;
  if (hours > 0) return `${String(hours)}h ${String(minutes).padStart(2, "0")}m`;
  if (minutes > 0) return `${String(minutes)}m ${String(whole % 60).padStart(2, "0")}s`;
  return `${String(whole)}s`;
}
