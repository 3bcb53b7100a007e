// A reference to a model whose provider is spelt in another way than in its entry: `qwen/qwen-max` for `dashscope/qwen-max`.
import { knownProvider, type Target } from "../../model/model.ts";
import { builtInName } from "../providers/registry.ts";

/** Returns the name of the configured model; undefined if there is none. */
export function nameInOtherSpelling(
  written: string,
  targets: readonly Target[],
): string | undefined {
  const slash = written.indexOf("/");
  const provider = builtInName(written.slice(0, Math.max(slash, 0)));
  if (provider === undefined) return undefined;
  const model = written.slice(slash + 1);
  return targets.find((one) => one.model === model && knownProvider(one) === provider)?.name;
}
