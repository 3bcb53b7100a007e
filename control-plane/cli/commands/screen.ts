// What a person sees when the gateway is ready: the addresses, the models, and an example to paste for each dialect.
import { commandFor } from "../../config/diagnostics/command-name.ts";
import type { Dialect, GatewayModel, Listener, Target } from "../../ir/model.ts";
import { urlOf } from "../../supervisor/readiness.ts";
import { type Colors, table } from "../../config/diagnostics/terminal.ts";
import { VERSION } from "../../supervisor/version.ts";

const MAX_MODELS = 12;

/** Lines for standard output. */
export function screen(model: GatewayModel, logDirectory: string, colors: Colors): string[] {
  const egress = urlOf(model.egress);
  const ingress = urlOf(model.ingress);
  const addresses = [
    ["  OpenAI clients", colors.cyan(`${egress}/v1`)],
    ["  Anthropic clients", colors.cyan(egress)],
    ["  Prompts", colors.cyan(`${ingress}/v1`), promptNote(model)],
    ["  Access logs", logDirectory],
  ];
  return [
    "",
    colors.bold(`The gateway ${VERSION} is ready.`),
    "",
    ...table(addresses),
    "",
    colors.bold("Models"),
    ...modelLines(model),
    "",
    colors.bold("Try it"),
    ...promptExample(model),
    ...openaiExample(model.egress, exampleModel(model, "openai_chat")),
    "",
    ...anthropicExample(model.egress, exampleModel(model, "anthropic_messages")),
  ];
}

/** What happens to prompts on the ingress listener. */
function promptNote({ prompt }: GatewayModel): string {
  if (prompt === undefined) return "no prompt targets, no guard";
  const targets = prompt.targets.map(({ name }) => name);
  const names =
    targets.length > 4 ? [...targets.slice(0, 3), `${String(targets.length - 3)} more`] : targets;
  return [
    targets.length === 0 ? "no prompt targets" : `targets ${names.join(", ")}`,
    prompt.guard === undefined ? "no guard" : "jailbreak guard",
  ].join("; ");
}

function modelLines({ targets, defaultTarget, aliases }: GatewayModel): string[] {
  const rows = targets.map((target, index) => {
    const names = aliases.filter((alias) => alias.target === index).map(({ name }) => name);
    const notes = [
      ...(index === defaultTarget ? ["default"] : []),
      ...(target.address.kind === "embedded" ? ["built-in demonstration"] : []),
      ...(names.length > 0 ? [`also ${names.join(", ")}`] : []),
    ];
    return [`  ${target.name}`, notes.join(", ")];
  });
  const more = rows.length - MAX_MODELS;
  const shown = table(rows.slice(0, MAX_MODELS));
  return more > 0 ? [...shown, `  … and ${String(more)} more: ${commandFor("models")}`] : shown;
}

/** Returns the default model, or a model with the dialect if the default has another. */
function exampleModel({ targets, defaultTarget }: GatewayModel, dialect: Dialect): string {
  const usual = targets[defaultTarget];
  const same = (target: Target | undefined) => target?.dialect === dialect;
  return (same(usual) ? usual : (targets.find(same) ?? usual))?.name ?? "none";
}

/** A prompt that means a target, where the configuration has one. */
function promptExample({ ingress, prompt }: GatewayModel): string[] {
  const [text] = prompt?.targets.flatMap(({ examples }) => examples) ?? [];
  return text === undefined ? [] : [...openaiExample(ingress, "none", text), ""];
}

/** The name of a variable, for a shell that has it: never the key itself. */
function keyHeader({ apiKeys = [] }: Listener, start: string): string[] {
  const [variable] = apiKeys;
  return variable === undefined ? [] : [`    -H "${start}$${variable}" \\`];
}

function openaiExample(listener: Listener, model: string, text = "Hello!"): string[] {
  // Between the quotes of a shell.
  const content = JSON.stringify(text).replaceAll("'", "'\\''");
  return [
    `  curl ${urlOf(listener)}/v1/chat/completions -H 'content-type: application/json' \\`,
    ...keyHeader(listener, "authorization: Bearer "),
    `    -d '{"model": "${model}", "messages": [{"role": "user", "content": ${content}}]}'`,
  ];
}

function anthropicExample(listener: Listener, model: string): string[] {
  return [
    `  curl ${urlOf(listener)}/v1/messages -H 'content-type: application/json' -H 'anthropic-version: 2023-06-01' \\`,
    ...keyHeader(listener, "x-api-key: "),
    `    -d '{"model": "${model}", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello!"}]}'`,
  ];
}
