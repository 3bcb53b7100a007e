// What a person sees when the gateway is ready: the addresses, the models, and an example to paste for each dialect.
import type { DialectRow } from "../../../contract/dialects.ts";
import { MCP } from "../../../contract/endpoints.ts";
import { DIALECTS } from "../../../contract/dialects.ts";
import { commandFor } from "../../report/command-name.ts";
import { exampleKey } from "../../../model/client-keys.ts";
import { isWildcard } from "../../../model/model-names.ts";
import type { GatewayModel, Listener, Target } from "../../../model/model.ts";
import type { Guard } from "../../../model/prompts.ts";
import { urlOf } from "../../../model/listener-url.ts";
import { type Colors, table } from "../../report/terminal.ts";
import { VERSION } from "../../supervisor/package-version.ts";

const MAX_MODELS = 12;

/**
 * Lines for standard output.
 * @param pageProblem why the live page is not served: its URL is then that of another process
 */
export function screen(
  model: GatewayModel,
  { logDirectory, pageProblem }: { logDirectory: string; pageProblem: string | undefined },
  colors: Colors,
): string[] {
  const egress = urlOf(model.egress);
  const ingress = urlOf(model.ingress);
  const addresses = [
    ["  OpenAI clients", colors.cyan(`${egress}/v1`)],
    ["  Anthropic clients", colors.cyan(egress)],
    ["  Prompts", colors.cyan(`${ingress}/v1`), promptNote(model)],
    ...(model.prompt?.mcp === true
      ? [["  MCP clients", colors.cyan(`${ingress}${MCP.path}`)]]
      : []),
    ["  Access logs", logDirectory],
    ...(model.observability === undefined
      ? []
      : [
          [
            "  Live page, metrics",
            pageProblem === undefined ? colors.cyan(urlOf(model.observability.metrics)) : "-",
          ],
        ]),
  ];
  return [
    "",
    colors.bold(`The gateway ${VERSION} is ready.`),
    "",
    ...table(addresses),
    ...(pageProblem === undefined ? [] : [`  ${colors.yellow("warning")} ${pageProblem}`]),
    "",
    colors.bold("Models"),
    ...modelLines(model),
    "",
    colors.bold("Try it"),
    ...promptExample(model),
    ...EXAMPLES.flatMap((dialect, index) => [
      ...(index === 0 ? [] : [""]),
      ...example(model.egress, dialect, exampleModel(model, dialect)),
    ]),
  ];
}

/** One dialect of each vendor, as far as clients may use it. */
const EXAMPLES = DIALECTS.filter(
  ({ vendor, hasClients }, index) =>
    hasClients && DIALECTS.findIndex((other) => other.vendor === vendor) === index,
);

/** What happens to prompts on the ingress listener. */
function promptNote({ prompt }: GatewayModel): string {
  if (prompt === undefined) return "no prompt targets, no guard";
  const targets = prompt.targets.map(({ name }) => name);
  const names =
    targets.length > 4 ? [...targets.slice(0, 3), `${String(targets.length - 3)} more`] : targets;
  return [
    targets.length === 0 ? "no prompt targets" : `targets ${names.join(", ")}`,
    prompt.guard === undefined ? "no guard" : guardNote(prompt.guard),
  ].join("; ");
}

/** Ingress alone is the default. */
function guardNote({ listeners }: Guard): string {
  const isDefault = listeners.length === 1 && listeners[0] === "ingress";
  return isDefault ? "jailbreak guard" : `jailbreak guard on ${listeners.join(" and ")}`;
}

function modelLines({ targets, defaultTarget, aliases }: GatewayModel): string[] {
  const rows = targets.map((target, index) => {
    const names = aliases.filter((alias) => alias.target === index).map(({ name }) => name);
    const notes = [
      ...(index === defaultTarget ? ["default"] : []),
      ...(target.address.kind === "embedded" ? ["built-in demonstration"] : []),
      ...(target.wildcard === undefined ? [] : [`any of its models: ${target.provider}/<model>`]),
      ...(names.length > 0 ? [`also ${names.join(", ")}`] : []),
    ];
    return [`  ${target.name}`, notes.join(", ")];
  });
  const more = rows.length - MAX_MODELS;
  const shown = table(rows.slice(0, MAX_MODELS));
  return more > 0 ? [...shown, `  … and ${String(more)} more: ${commandFor("models")}`] : shown;
}

/** Returns the default model, or a model with the dialect if the default has another: one that the example's key allows. */
function exampleModel(
  { egress, targets, defaultTarget }: GatewayModel,
  dialect: DialectRow,
): string {
  const allowed = exampleKey(egress.apiKeys)?.models;
  if (allowed !== undefined) return allowedModel(allowed, targets);
  const usual = targets[defaultTarget];
  const same = (target: Target | undefined) =>
    target?.dialect === dialect.name && target.wildcard === undefined;
  return (same(usual) ? usual : (targets.find(same) ?? usual))?.name ?? "none";
}

/** Returns a model of an allow-list. */
function allowedModel(allowed: readonly string[], targets: readonly Target[]): string {
  const name = allowed.find((one) => !isWildcard(one));
  if (name !== undefined) return name;
  const isAllowed = ({ name: own, wildcard }: Target): boolean =>
    wildcard === undefined && allowed.some((one) => own.startsWith(one.slice(0, -1)));
  return targets.find(isAllowed)?.name ?? "none";
}

/** A prompt that means a target, where the configuration has one. */
function promptExample({ ingress, prompt }: GatewayModel): string[] {
  const [text] = prompt?.targets.flatMap(({ examples }) => examples) ?? [];
  const dialect = DIALECTS.find(({ isOnIngress }) => isOnIngress);
  if (text === undefined || dialect === undefined) return [];
  return [...example(ingress, dialect, "none", text), ""];
}

/** The name of a variable, for a shell that has it: never the key itself. */
function keyHeader({ apiKeys }: Listener, start: string): string[] {
  const key = exampleKey(apiKeys);
  return key === undefined ? [] : [`    -H "${start}$${key.variable}" \\`];
}

function example(
  listener: Listener,
  { path, credential, requiredHeaders, requiredMembers }: DialectRow,
  model: string,
  text = "Hello!",
): string[] {
  const headers = [{ name: "content-type", value: "application/json" }, ...requiredHeaders];
  const flags = headers.map(({ name, value }) => `-H '${name}: ${value}'`).join(" ");
  // Between the quotes of a shell.
  const content = JSON.stringify(text).replaceAll("'", "'\\''");
  const members = [
    `"model": "${model}"`,
    ...(requiredMembers === "" ? [] : [requiredMembers]),
    `"messages": [{"role": "user", "content": ${content}}]`,
  ];
  return [
    `  curl ${urlOf(listener)}${path} ${flags} \\`,
    ...keyHeader(listener, `${credential.header}: ${credential.prefix}`),
    `    -d '{${members.join(", ")}}'`,
  ];
}
