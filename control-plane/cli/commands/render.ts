// `gateway render`: the configuration of Envoy, or of its rate limit service, as YAML. Depends on the configuration and this installation only; holds no secret.
import { writeFileSync } from "node:fs";
import { renderBootstrap } from "../../../envoy/bootstrap.ts";
import { serviceConfiguration } from "../../../envoy/rate-limit-service.ts";
import { serviceToYaml, toYaml } from "../../../envoy/yaml.ts";
import { readConfiguration } from "../../supervisor/configuration-file.ts";
import { findConfigurationOrBuiltIn } from "../find-configuration.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import { defaultRuntimeEnvironment } from "../../supervisor/machine-settings.ts";
import { noteBuiltIn } from "./built-in.ts";

export interface RenderOptions {
  output?: string;
  /** Of the rate limit service, in place of Envoy's. */
  ratelimitConfig?: true;
}

/** Prints the YAML, or writes it to `options.output`. */
export function render(config: string | undefined, options: RenderOptions): void {
  const file = findConfigurationOrBuiltIn(config, process.cwd());
  noteBuiltIn(file);
  const { model, environment } = readConfiguration(file, process.env);
  const yaml =
    options.ratelimitConfig === true
      ? serviceToYaml(serviceConfiguration(model))
      : toYaml(renderBootstrap(model, defaultRuntimeEnvironment(model, file, environment)));
  if (options.output === undefined) {
    process.stdout.write(yaml);
    return;
  }
  try {
    writeFileSync(options.output, yaml);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new GatewayError(`${options.output} cannot be written (${String(code)}).`, {
      hint: "Use a file in an existing, writable directory.",
    });
  }
}
