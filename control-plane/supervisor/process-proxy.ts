// The proxy of this process's own https requests: tokens of clouds, key sets, metrics, webhooks. It follows the active configuration.
import { setGlobalProxyFromEnv } from "node:http";
import { exceptionsForNode, proxyUrl } from "../../model/proxy.ts";
import type { GatewayModel } from "../../model/model.ts";
import type { Environment } from "../report/environment.ts";

const HTTPS_NAMES = ["HTTPS_PROXY", "https_proxy"];
const NO_NAMES = ["NO_PROXY", "no_proxy"];

/**
 * Returns the variables with the default proxy of a configuration, for Node and the libraries of clouds; empty if there is none.
 * Requests with http have no proxy, as those to providers.
 */
export function proxyEnvironment(
  { proxy: standard }: Pick<GatewayModel, "proxy">,
  environment: Environment,
): Environment {
  if (standard === undefined) return {};
  const { proxy, exceptions } = standard;
  const credential = proxy.credential === undefined ? undefined : environment[proxy.credential];
  return {
    HTTPS_PROXY: credential ?? proxyUrl(proxy),
    NO_PROXY: exceptionsForNode(exceptions),
  };
}

/** The proxy of this process, in place of that of its environment. */
export class ProcessProxy {
  readonly #own = { ...process.env };
  #restore: (() => void) | undefined;

  /** Sets the proxy of a configuration in place of the previous one. */
  set({
    model,
    environment,
  }: {
    model: Pick<GatewayModel, "proxy">;
    environment: Environment;
  }): void {
    this.close();
    const wanted = proxyEnvironment(model, environment);
    // Without a proxy nothing reads NO_PROXY but what asks HTTP_PROXY, which stays as it is.
    const names = wanted["NO_PROXY"] === undefined ? HTTPS_NAMES : [...HTTPS_NAMES, ...NO_NAMES];
    setVariables(names, wanted);
    this.#restore = setGlobalProxyFromEnv({ ...wanted });
  }

  /** Takes it back. */
  close(): void {
    this.#restore?.();
    this.#restore = undefined;
    setVariables([...HTTPS_NAMES, ...NO_NAMES], this.#own);
  }
}

function setVariables(names: readonly string[], values: Environment): void {
  for (const name of names) {
    const value = values[name];
    if (value === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = value;
  }
}
