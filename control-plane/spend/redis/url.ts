// Where Redis is.
import type { Redis } from "../../../model/model.ts";

/** Returns the URL of the configuration, or of its environment variable. */
export function redisUrl(
  { url }: Redis,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return "text" in url ? url.text : environment[url.variable];
}
