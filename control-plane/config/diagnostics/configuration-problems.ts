// All that is wrong with the user's configuration, as an error. Apart from the loading, which takes a while to import.
import type { Problem } from "../../report/problem.ts";
import { GatewayError } from "../../report/gateway-error.ts";

export interface ConfigurationFile {
  /** As the user named it; messages repeat it. */
  name: string;
  /** Absolute. */
  path: string;
  /** True if the user has none: it is made from the keys in the environment, and `path` is no file. */
  isBuiltIn: boolean;
}

/** The command prints every problem and exits with 2. */
export class ConfigurationProblems extends GatewayError {
  readonly file: ConfigurationFile;
  readonly problems: Problem[];

  constructor(file: ConfigurationFile, problems: Problem[]) {
    super(`${file.name} has problems.`, { exitCode: 2 });
    this.file = file;
    this.problems = problems;
  }
}
