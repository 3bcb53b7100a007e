// What one model supports: what is known of it, overridden by the entry's `limits`.
import type { DialectRow } from "../../../contract/dialects.ts";
import { KNOWN_LIMITS, limitsIn, limitsOfHost } from "../../providers/known-limits.ts";
import type { ProviderLimits } from "../../providers/limits/families.ts";
import { capabilityNamed, effectiveLimits } from "../../ir/model-limits.ts";
import type { ModelLimits } from "../../ir/model-limits.ts";
import type { Target } from "../../ir/model.ts";
import { INTERFACES } from "../../providers/registry.ts";
import type { Connection } from "./connection.ts";
import type { Path } from "../diagnostics/problem.ts";
import type { Reading } from "../reading.ts";
import type { ProviderDraft } from "./entry.ts";

/** `path`: of the entry. */
export function readModelLimits(
  reading: Reading,
  path: Path,
  entry: ProviderDraft,
  { provider, model }: { provider: string; model: string },
  connection: Connection,
): Pick<Target, "limits" | "asksForUsage"> {
  const known = limitsIn(tableOf(entry.provider_interface, provider, connection), model);
  const own = checkOwn(reading, [...path, "limits"], entry.limits ?? {}, connection.dialect);
  const limits = effectiveLimits({ ...known, ...own });
  return {
    asksForUsage: own.stream_usage ?? connection.asksForUsage,
    ...(limits === undefined ? {} : { limits }),
  };
}

/** The address decides before the provider's name, and that before the interface, which may only be the format. */
function tableOf(
  chosen: string | undefined,
  provider: string,
  { address, dialect }: Connection,
): ProviderLimits | undefined {
  const ofHost = address.kind === "host" ? limitsOfHost(address.host, dialect) : undefined;
  if (ofHost !== undefined) return ofHost;
  const name = [provider, chosen].find((word) => INTERFACES.get(word ?? "")?.dialect === dialect);
  return KNOWN_LIMITS[name ?? ""];
}

/** Returns the capabilities that are set, and reports those that the dialect does not have. */
function checkOwn(
  reading: Reading,
  path: Path,
  draft: NonNullable<ProviderDraft["limits"]>,
  dialect: DialectRow,
): ModelLimits {
  const own: ModelLimits = {
    ...(draft as Omit<typeof draft, "efforts" | "refuses"> as ModelLimits),
    ...(draft.efforts === undefined ? {} : { efforts: unique(draft.efforts) }),
    ...(draft.refuses === undefined ? {} : { refuses: unique(draft.refuses) }),
  };
  for (const [name, value] of Object.entries(own)) {
    const { only, onlyValue = "", values = [] } = capabilityNamed(name) ?? {};
    if (only === undefined || only === dialect) continue;
    if (onlyValue === "") {
      reading.problem([...path, name], `${name} is a limit of the ${only.format} format`, {
        part: "key",
        hint: `remove it: this model uses the ${dialect.format} format`,
      });
    } else if (value === onlyValue) {
      reading.problem([...path, name], `${onlyValue} is for the ${only.format} format`, {
        hint: `write one of ${values.filter((one) => one !== onlyValue).join(", ")}`,
      });
    }
  }
  return own;
}

function unique<Word>(words: readonly (Word | undefined)[]): Word[] {
  return [...new Set(words.filter((word) => word !== undefined))];
}
