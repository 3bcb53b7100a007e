// The checks of keys and of the proxy variables in the environment. No value is ever a part of a finding.
import { credentialReports } from "../credentials/report.ts";
import { proxyUrl, tunnelsOf } from "../../model/proxy.ts";
import type { Environment } from "../report/environment.ts";
import type { GatewayModel } from "../../model/model.ts";
import { type Finding, findingsOf } from "./finding.ts";

/** How the keys of providers begin, at their own addresses. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  openai: /^sk-(?!ant-)/,
  anthropic: /^sk-ant-/,
  groq: /^gsk_/,
  xai: /^xai-/,
  gemini: /^(?:AIza|AQ\.)/,
};
const PLACEHOLDER =
  /^(?:changeme|placeholder|dummy|test|xxx+|your[-_ ].*|<.*>|sk-\.\.\.|sk-xxx+|…)$/i;

/** The loader has refused variables that are not set. */
export function checkKeys(model: GatewayModel, environment: Environment): Finding[] {
  const { ok, warning, problem } = findingsOf("keys");
  const found = new Map<string, Finding>();
  for (const { provider, auth, address } of model.targets) {
    const isOwn = address.kind === "host" && address.host.split(".").includes(provider);
    for (const variable of [auth.environmentVariable ?? [], auth.otherVariables ?? []].flat()) {
      const value = environment[variable] ?? "";
      const beginning = isOwn ? BEGINNINGS[provider] : undefined;
      const where = `$${variable} (${provider})`;
      if (/^["'].*["']$/.test(value))
        found.set(variable, problem(`${where} has quotes around the key`, "remove the quotes"));
      else if (PLACEHOLDER.test(value))
        found.set(
          variable,
          problem(`${where} is a placeholder, not a key`, `set ${variable} to the key`),
        );
      else if (beginning !== undefined && !beginning.test(value))
        found.set(
          variable,
          warning(
            `${where} does not look like a key of ${provider}`,
            "check that it is not the key of another provider; --online tries it",
          ),
        );
      else if (!found.has(variable)) found.set(variable, ok(`${where} is set`));
    }
  }
  const identities = credentialReports(model, []).map(({ source, models }) =>
    ok(`${models.join(", ")}: ${source}`),
  );
  return [...found.values(), ...identities];
}

const PROXY_VARIABLES = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"];

/** Returns the value of a variable whose name is written in either case. */
function setIn(environment: Environment, name: string): string {
  return environment[name] ?? environment[name.toLowerCase()] ?? "";
}

/** Which proxy providers are reached through; SDKs on this machine may send what is for the gateway to a proxy. */
export function checkProxies(model: GatewayModel, environment: Environment): Finding[] {
  const { ok, warning } = findingsOf("proxies");
  const used = Map.groupBy(tunnelsOf(model), ({ proxy }) => proxyUrl(proxy));
  const found: Finding[] = [...used].map(([proxy, tunnels]) =>
    ok(
      `${proxy} is the proxy for ${[...new Set(tunnels.map(({ destination }) => destination))].join(", ")}`,
    ),
  );
  const set = PROXY_VARIABLES.filter((name) => setIn(environment, name) !== "");
  if (set.length === 0) return found.length === 0 ? [ok("no proxy is configured")] : found;
  const direct = new Set(
    model.targets.flatMap(({ address, authority }) =>
      address.kind === "host" && address.proxy === undefined && !isLocal(address.host)
        ? [authority]
        : [],
    ),
  );
  if (direct.size > 0) {
    found.push(
      warning(
        `${set.join(", ")}: the gateway connects to ${[...direct].join(", ")} directly, without this proxy`,
        "only HTTPS_PROXY applies, to providers with https that NO_PROXY, no_proxy and proxy: false do not except",
      ),
    );
  }
  const exceptions = setIn(environment, "NO_PROXY").split(/[\s,]+/);
  if (!["*", "localhost", "127.0.0.1"].some((host) => exceptions.includes(host))) {
    found.push(
      warning(
        `${set.join(", ")}: clients on this machine may send their requests for the gateway to the proxy`,
        "set NO_PROXY=localhost,127.0.0.1 for them",
      ),
    );
  }
  return found.length === 0 ? [ok(`${set.join(", ")} is set, and not used by the gateway`)] : found;
}

function isLocal(host: string): boolean {
  return /^(?:localhost|.*\.localhost|127\.[\d.]+|::1)$/.test(host);
}
