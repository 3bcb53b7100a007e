// The request to a prompt target's API as text: what filter/prompt/api-request.ts sends, for people to see before it is.
import type { GatewayModel } from "../../ir/model.ts";
import { isPathValue, MAX_VALUE_BYTES } from "../../ir/prompt.ts";
import type { PromptParameter, PromptTarget } from "../../ir/prompt.ts";

export interface ApiRequest {
  method: "GET" | "POST";
  url: string;
  /** With `$NAME` where a secret would stand. */
  headers: Record<string, string>;
  /** JSON; absent for GET. */
  body?: string;
}

export type Values = Record<string, unknown>;

const PLACEHOLDER = /\{([^{}]*)\}/g;

/**
 * The request, or the name of the parameter whose value cannot stand in a URL.
 * @param said what the user said: the conversation that a default target gets
 */
export function apiRequest(
  model: Pick<GatewayModel, "prompt">,
  target: PromptTarget,
  values: Values,
  said: string,
): ApiRequest | { wrong: string } {
  const placed = new Set<string>();
  let wrong: string | undefined;
  const query = target.path.indexOf("?");
  const path = target.path.replaceAll(PLACEHOLDER, (written, name: string, at: number) => {
    const parameter = target.parameters.find((one) => one.name === name);
    if (parameter === undefined) return written;
    placed.add(name);
    const text = textOf(valueOf(parameter, values) ?? "");
    if (!(query >= 0 && at > query ? fitsQuery(text) : isPathValue(text, parameter)))
      wrong ??= name;
    return percentEncode(text);
  });
  if (wrong !== undefined) return { wrong };
  const rest = target.parameters.flatMap((parameter) => {
    const value = valueOf(parameter, values);
    return placed.has(parameter.name) || value === undefined ? [] : [{ parameter, value }];
  });
  const { method } = target;
  const base = { method, headers: headersOf(target) };
  const start = `${originOf(model, target)}${path}`;
  if (method === "POST") {
    const conversation = { messages: [{ role: "user", content: said }] };
    const body = {
      ...(target.isDefault ? conversation : {}),
      ...Object.fromEntries(rest.map(({ parameter, value }) => [parameter.name, value])),
    };
    return { ...base, url: start, body: JSON.stringify(body) };
  }
  const tooLong = rest.find(({ value }) => !fitsQuery(textOf(value)));
  if (tooLong !== undefined) return { wrong: tooLong.parameter.name };
  const pairs = rest.map(
    ({ parameter, value }) => `${percentEncode(parameter.name)}=${percentEncode(textOf(value))}`,
  );
  const separator = path.includes("?") ? "&" : "?";
  return { ...base, url: pairs.length === 0 ? start : `${start}${separator}${pairs.join("&")}` };
}

function valueOf(parameter: PromptParameter, values: Values): unknown {
  return values[parameter.name] ?? parameter.default;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** All but the unreserved characters (RFC 3986, section 2.3). */
function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function fitsQuery(text: string): boolean {
  return Buffer.byteLength(text) <= MAX_VALUE_BYTES;
}

function originOf({ prompt }: Pick<GatewayModel, "prompt">, target: PromptTarget): string {
  const endpoint = prompt?.endpoints.find(({ name }) => name === target.endpoint);
  return `${endpoint?.address.tls === true ? "https" : "http"}://${endpoint?.authority ?? ""}`;
}

function headersOf({ headers, method }: PromptTarget): Record<string, string> {
  const own = headers.map(({ name, parts }) => [
    name,
    parts.map((part) => ("text" in part ? part.text : `$${part.environment}`)).join(""),
  ]);
  return {
    accept: "application/json",
    ...(method === "POST" ? { "content-type": "application/json" } : {}),
    ...(Object.fromEntries(own) as Record<string, string>),
  };
}
