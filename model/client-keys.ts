// The API keys of a listener's clients. Plain data.

export interface ClientKey {
  /** Environment variable with the key. */
  variable: string;
  /** In errors, usage records and budgets. The variable, if the configuration has no other name. */
  name: string;
  /** The allow-list, as configured: names of models and aliases, and beginnings of names (`openai/*`). Absent: all models. */
  models?: string[];
  /** Names of groups. Absent: none. */
  groups?: string[];
  /** The user whom it belongs to. Absent: none. */
  owner?: string;
}

type Listeners = readonly { apiKeys?: ClientKey[] }[];

/** Returns the environment variables with the keys of listeners, each once. */
export function keyVariables(listeners: Listeners): string[] {
  return [...new Set(keysOf(listeners).map(({ variable }) => variable))];
}

/** Returns the names of the keys of listeners, each once. */
export function keyNames(listeners: Listeners): string[] {
  return [...new Set(keysOf(listeners).map(({ name }) => name))];
}

/** Returns the key that an example has: one for all models, if there is one. */
export function exampleKey(keys: readonly ClientKey[] = []): ClientKey | undefined {
  return keys.find(({ models }) => models === undefined) ?? keys[0];
}

function keysOf(listeners: Listeners): ClientKey[] {
  return listeners.flatMap(({ apiKeys = [] }) => apiKeys);
}
