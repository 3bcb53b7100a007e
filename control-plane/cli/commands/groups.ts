// `gateway groups`: what all keys of a group may use together.
import type { GroupView } from "../../keys/api/view.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import { colorsFor, table } from "../../report/terminal.ts";
import { callApi } from "../admin-api.ts";
import { type AllowanceOptions, allowanceBody } from "../allowance-options.ts";
import { allowanceRows, budgetText, detailLines, print } from "./keys.ts";

interface Common {
  config?: string;
  json?: boolean;
}

export type GroupOptions = Common & AllowanceOptions;

export async function createGroup(name: string, options: GroupOptions): Promise<void> {
  const body = { name, ...allowanceBody(options) };
  const group = await callApi<GroupView>(options.config, "POST", "/groups", body);
  print(options, group, () => [`The group ${name} is created.`]);
}

export async function listGroups(options: Common): Promise<void> {
  const { data } = await callApi<{ data: GroupView[] }>(options.config, "GET", "/groups");
  print(options, data, () => {
    if (data.length === 0) return ["No groups. Create one: gateway groups create <name>"];
    const { bold } = colorsFor(process.stdout);
    const head = ["NAME", "KEYS", "MODELS", "BUDGET", "SOURCE"].map((one) => bold(one));
    return table([
      head,
      ...data.map((group) => [
        group.name,
        String(group.keys),
        group.models?.join(", ") ?? "all",
        budgetText(group),
        group.source,
      ]),
    ]);
  });
}

export async function showGroup(name: string, options: Common): Promise<void> {
  const group = await callApi<GroupView>(options.config, "GET", pathOf(name));
  print(options, group, () => detailsOf(group));
}

export async function updateGroup(name: string, options: GroupOptions): Promise<void> {
  const body = allowanceBody(options);
  if (Object.keys(body).length === 0)
    throw new GatewayError("Nothing to change.", {
      hint: "gateway groups update --help lists the options.",
    });
  const group = await callApi<GroupView>(options.config, "PATCH", pathOf(name), body);
  print(options, group, () => detailsOf(group));
}

export async function deleteGroup(name: string, options: Common): Promise<void> {
  const group = await callApi<GroupView>(options.config, "DELETE", pathOf(name));
  print(options, group, () => [`The group ${group.name} is deleted.`]);
}

function pathOf(name: string): string {
  return `/groups/${encodeURIComponent(name)}`;
}

function detailsOf(group: GroupView): string[] {
  return detailLines([
    ["Name", group.name],
    ["Source", group.source],
    ["Keys", String(group.keys)],
    ...allowanceRows(group),
    ["Created", group.created],
    ["Version", group.version === undefined ? undefined : String(group.version)],
  ]);
}
