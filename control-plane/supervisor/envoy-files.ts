// The files of one Envoy: its bootstrap, and a folder of files that it reloads.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { renderBootstrap } from "../../envoy/bootstrap.ts";
import { type DiscoveryFile, dynamicConfiguration } from "../../envoy/dynamic.ts";
import type { RuntimeEnvironment } from "../../envoy/runtime-environment.ts";
import type { Bootstrap, Fields } from "../../envoy/envoy-types.ts";
import { toYaml } from "../../envoy/yaml.ts";
import type { GatewayModel } from "../../model/model.ts";
import { createDiscovery, type Discovery } from "./discovery.ts";
import { makeDirectory } from "./make-directory.ts";
import { numbered, runDirectory, writePrivately } from "./state.ts";

/** A configuration in the two forms that Envoy reads: as a whole, and split into files. */
interface Rendered {
  whole: Bootstrap;
  bootstrap: Fields;
  files: DiscoveryFile[];
}

export interface EnvoyFiles {
  bootstrapFile: string;
  discovery: Discovery;
  render: (model: GatewayModel, runtime: RuntimeEnvironment) => Rendered;
  /** The bootstrap with which Envoy was started. */
  bootstrap: Fields;
  remove: () => void;
}

/** Writes the files. @param number of the Envoy: each has its own files, because two may overlap */
export function createEnvoyFiles(
  stateDirectory: string,
  number: number,
  model: GatewayModel,
  runtime: RuntimeEnvironment,
): EnvoyFiles {
  const place = runDirectory(stateDirectory);
  const bootstrapFile = join(place, numbered("envoy.yaml", number));
  const directory = join(place, numbered("discovery", number));
  const render = (model: GatewayModel, runtime: RuntimeEnvironment): Rendered => {
    const whole = renderBootstrap(model, runtime);
    return { whole, ...dynamicConfiguration(whole, directory) };
  };
  rmSync(directory, { recursive: true, force: true });
  makeDirectory(directory, 0o700);
  const { bootstrap, files } = render(model, runtime);
  writePrivately(bootstrapFile, toYaml(bootstrap));
  const discovery = createDiscovery(directory, files);
  return {
    bootstrapFile,
    discovery,
    render,
    bootstrap,
    remove() {
      discovery.close();
      rmSync(directory, { recursive: true, force: true });
      rmSync(bootstrapFile, { force: true });
    },
  };
}
