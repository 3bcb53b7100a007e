// Where the keys of issuers are, for a configuration that leaves it to their discovery documents (control-plane/issuers/).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { GatewayModel } from "../../model/model.ts";
import type { KeySetPlaces } from "../issuers/key-set-places.ts";
import type { Configuration } from "./configuration-file.ts";
import { findCaFile } from "./machine-settings.ts";
import type { Report } from "./own-log.ts";
import type { Part } from "./part.ts";
import { writePrivately } from "./state.ts";

const FILE = "issuers.json";

export interface IssuerStore extends Part {
  /** Reads the documents that a configuration needs. Returns the configuration with what is known. */
  resolve: (configuration: Configuration) => Promise<Configuration>;
  /** Continues with the configuration that is active, if it is another than the last one of `resolve`. */
  use: (configuration: Configuration) => Promise<void>;
  /** Returns the configuration with what is known now: the same object if it needs no documents. */
  placed: (configuration: Configuration) => Configuration;
}

/**
 * Returns the store. Its modules are loaded for a configuration that needs them.
 * @param directory the state directory
 * @param onChange called when `placed` or `note` may return something else
 */
export function createIssuerStore(
  directory: string,
  report: Report,
  onChange: () => void,
): IssuerStore {
  let places: KeySetPlaces | undefined;
  let used: string | undefined;

  const placed = (configuration: Configuration): Configuration =>
    places === undefined
      ? configuration
      : { ...configuration, model: places.placed(configuration.model) };
  const resolve = async (configuration: Configuration): Promise<Configuration> => {
    const { model, environment, sha256 } = configuration;
    if (places === undefined && !isNeeded(model)) return configuration;
    const { KeySetPlaces } = await import("../issuers/key-set-places.ts");
    const file = join(directory, FILE);
    places ??= new KeySetPlaces({ file, report, onChange, writeFile: writePrivately });
    const caFile = findCaFile(environment);
    await places.use(model, caFile === undefined ? undefined : readFileSync(caFile, "utf8"));
    used = sha256;
    return placed(configuration);
  };

  return {
    resolve,
    placed,
    async use(configuration) {
      if (used === undefined || used === configuration.sha256) return;
      await resolve(configuration);
      // Its documents may have other URLs than Envoy has.
      onChange();
    },
    note: () => places?.problem,
    close: () => places?.stop(),
  };
}

function isNeeded({ ingress, egress }: GatewayModel): boolean {
  return [ingress, egress].some(({ tokens = [] }) =>
    tokens.some(({ isDiscovered }) => isDiscovered === true),
  );
}
