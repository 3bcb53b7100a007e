// `gateway models`: every name for `model`, and its target.
import { readConfiguration } from "../../supervisor/configuration-file.ts";
import { findConfigurationOrBuiltIn } from "../find-configuration.ts";
import { filterConfig } from "../../ir/filter-document/document.ts";
import type { GatewayModel, Target } from "../../ir/model.ts";
import { colorsFor, table } from "../../config/diagnostics/terminal.ts";
import { noteBuiltIn } from "./built-in.ts";

export interface ModelName {
  /** The name in `model`. */
  name: string;
  /** `<provider>/<model>`. */
  target: string;
  /** The wire format of its provider. */
  dialect: string;
  /** Whether `model: none` means it. */
  default: boolean;
  /** URL of the provider, or `built in`. */
  address: string;
}

/** Prints them as a table, or as JSON. */
export function models(config: string | undefined, options: { json?: boolean }): void {
  const file = findConfigurationOrBuiltIn(config, process.cwd());
  const names = modelNames(readConfiguration(file, process.env).model);
  if (options.json === true) {
    console.log(JSON.stringify(names, null, 2));
    return;
  }
  noteBuiltIn(file);
  const colors = colorsFor(process.stdout);
  const rows = names.map(({ name, target, dialect, default: isDefault, address }) => [
    colors.cyan(name),
    target,
    dialect,
    isDefault ? "default" : "",
    address,
  ]);
  const head = ["NAME", "MODEL", "DIALECT", "", "ADDRESS"].map(colors.dim);
  for (const line of table([head, ...rows])) console.log(line);
}

/** In the order of the configuration; of one model, its full name first. */
export function modelNames(model: GatewayModel): ModelName[] {
  const { names, routes, wildcards = [] } = filterConfig(model);
  const entries = [
    ...Object.entries(names),
    ...wildcards.map(({ prefix, route }) => [`${prefix}*`, route] as const),
  ];
  const found = entries.flatMap(([name, route]) => {
    const index = routes[route]?.targets[0];
    const target = index === undefined ? undefined : model.targets[index];
    if (index === undefined || target === undefined) return [];
    const row = {
      name,
      target: target.name,
      dialect: target.dialect,
      default: index === model.defaultTarget,
      address: addressOf(target),
    };
    return [{ index, isFull: name === target.name, row }];
  });
  found.sort((one, other) => one.index - other.index || Number(other.isFull) - Number(one.isFull));
  return found.map(({ row }) => row);
}

/** Where the target is called: `https://api.openai.com/v1/chat/completions`. */
export function addressOf({ address, path }: Target): string {
  if (address.kind === "embedded") return "built in";
  const usual = address.tls ? 443 : 80;
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  const port = address.port === usual ? "" : `:${String(address.port)}`;
  return `${address.tls ? "https" : "http"}://${host}${port}${path}`;
}
