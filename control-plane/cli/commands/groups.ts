// `gateway groups` and `gateway users`: what all requests of a group or a user may use together.
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
export type SubjectKind = "group" | "user";

export async function createSubject(
  kind: SubjectKind,
  name: string,
  options: GroupOptions,
): Promise<void> {
  const body = { name, ...allowanceBody(options) };
  const group = await callApi<GroupView>(options.config, "POST", pathOf(kind), body);
  print(options, group, () => [
    kind === "group" ? `The group ${name} is created.` : `The limits of the user ${name} are set.`,
  ]);
}

export async function listSubjects(kind: SubjectKind, options: Common): Promise<void> {
  const { data } = await callApi<{ data: GroupView[] }>(options.config, "GET", pathOf(kind));
  print(options, data, () => {
    if (data.length === 0) return [`No ${kind}s. Create one: gateway ${kind}s create <name>`];
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

export async function showSubject(kind: SubjectKind, name: string, options: Common): Promise<void> {
  const group = await callApi<GroupView>(options.config, "GET", pathOf(kind, name));
  print(options, group, () => detailsOf(group));
}

export async function updateSubject(
  kind: SubjectKind,
  name: string,
  options: GroupOptions,
): Promise<void> {
  const body = allowanceBody(options);
  if (Object.keys(body).length === 0)
    throw new GatewayError("Nothing to change.", {
      hint: `gateway ${kind}s update --help lists the options.`,
    });
  const group = await callApi<GroupView>(options.config, "PATCH", pathOf(kind, name), body);
  print(options, group, () => detailsOf(group));
}

export async function deleteSubject(
  kind: SubjectKind,
  name: string,
  options: Common,
): Promise<void> {
  const group = await callApi<GroupView>(options.config, "DELETE", pathOf(kind, name));
  print(options, group, () => [
    kind === "group"
      ? `The group ${group.name} is deleted.`
      : `The user ${group.name} has no limits now.`,
  ]);
}

function pathOf(kind: SubjectKind, name?: string): string {
  return `/${kind}s${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
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
