// The lines of access_usage.log of a gateway under test.
import { existsSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import { readUsageLine } from "../../control-plane/usage/usage-line.ts";
import type { UsageLine } from "../../control-plane/usage/usage-line.ts";
import type { Gateway } from "./gateway.ts";

/** All lines so far. Throws if one cannot be read. */
export function usageLines({ logFile }: Pick<Gateway, "logFile">): UsageLine[] {
  const file = logFile("usage");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const whole = text.split("\n").slice(0, -1);
  return whole.map((line) => {
    const read = readUsageLine(line);
    if (read === undefined) throw new Error(`not a line: ${line}`);
    return read;
  });
}

/** Waits for the line of a request; fails if there is more than one. */
export async function usageLineOf(
  gateway: Pick<Gateway, "logFile">,
  id: string,
): Promise<UsageLine> {
  const own = () => usageLines(gateway).filter(({ record }) => record?.id === id);
  await expect.poll(() => own().length).toBe(1);
  const [line] = own();
  if (line === undefined) throw new Error("no line");
  return line;
}
