// What a coding agent needs to know to send its requests to the gateway: for one process alone, or in its own file.
import type { Entry, FileFormat } from "./edit-file.ts";

/** Variable with the client key of the user. Agents read it too: arguments are visible to other users. */
export const KEY_VARIABLE = "GATEWAY_API_KEY";

export interface Connection {
  /** `http://127.0.0.1:12000`: the egress listener. */
  origin: string;
  /** The client key. Any text if the listener requires none. */
  key: string;
  /** The model that the user chose. */
  model: string | undefined;
  /** Returns the first model that the gateway lists, for an agent that has none by default. Throws if it lists none. */
  firstModel: () => string;
  /** Writes a private file that is removed when the agent ends. Returns its path. */
  writeFile: (name: string, text: string) => string;
}

/** The agent's own configuration file. */
export interface AgentFile {
  /** Below the user's home. */
  path: string;
  format: FileFormat;
  /** Returns what it has for the gateway. A value of undefined is removed. */
  entries: (connection: Omit<Connection, "writeFile">) => Entry[];
  /** Environment variables that the user has to set. */
  variables?: readonly string[];
}

/** How one process is started. */
export interface AgentSettings {
  /** Environment variables of the process. */
  variables: Record<string, string>;
  /** Variables of the user that would send requests elsewhere, or a second key. */
  removed?: readonly string[];
  /** Arguments before those of the user. */
  words?: readonly string[];
}

export interface Agent {
  title: string;
  /** The command that installs it. */
  install: string;
  settings: (connection: Connection) => AgentSettings;
  /** Absent: it has none that `gateway setup` can write. */
  file?: AgentFile;
}
