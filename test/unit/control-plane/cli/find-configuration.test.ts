// Which configuration file a command reads, with which environment.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readConfiguration } from "../../../../control-plane/supervisor/configuration-file.ts";
import {
  findConfiguration,
  findConfigurationOrBuiltIn,
} from "../../../../control-plane/cli/find-configuration.ts";
import { ConfigurationProblems } from "../../../../control-plane/config/diagnostics/configuration-problems.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gateway-cli-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

describe("the configuration file", () => {
  const yaml = "llm_providers:\n  - model: openai/gpt-4o\n    access_key: $OPENAI_API_KEY\n";

  it("the configuration file is the argument, or the first of the usual names", () => {
    for (const name of ["arch_config.yaml", "config.yaml"])
      writeFileSync(join(directory, name), "");
    expect(findConfiguration(undefined, directory).name).toBe("config.yaml");
    writeFileSync(join(directory, "gateway.yaml"), "");
    expect(findConfiguration(undefined, directory).name).toBe("gateway.yaml");
    expect(findConfiguration("other.yaml", directory)).toEqual({
      name: "other.yaml",
      path: join(directory, "other.yaml"),
      isBuiltIn: false,
    });
  });

  it("the configuration file is required by validate; other commands use the built-in one, which is valid", () => {
    expect(() => findConfiguration(undefined, directory)).toThrow(/no configuration in/);
    const file = findConfigurationOrBuiltIn(undefined, directory);
    expect(file.isBuiltIn).toBe(true);
    // As the record of a running gateway names it.
    expect(findConfigurationOrBuiltIn(file.path, directory)).toEqual(file);
    const { model } = readConfiguration(file, {});
    expect(model.targets[0]?.address.kind).toBe("embedded");
  });

  it("the configuration file is read with the .env beside it; the process environment takes precedence", () => {
    writeFileSync(join(directory, "gateway.yaml"), yaml);
    writeFileSync(join(directory, ".env"), "OPENAI_API_KEY='from-file'\nOTHER=x # note\n");
    const file = findConfiguration(undefined, directory);
    expect(readConfiguration(file, {}).environment).toEqual({
      OPENAI_API_KEY: "from-file",
      OTHER: "x",
    });
    const { environment } = readConfiguration(file, { OPENAI_API_KEY: "from-shell" });
    expect(environment["OPENAI_API_KEY"]).toBe("from-shell");
  });

  it("an invalid configuration file ends the command with exit code 2 and all problems, also if it cannot be read", () => {
    writeFileSync(join(directory, "gateway.yaml"), yaml);
    const read = (name: string) => readConfiguration(findConfiguration(name, directory), {});
    expect(() => read("gateway.yaml")).toThrow(ConfigurationProblems);
    expect(() => read("none.yaml")).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: expect.stringContaining("there is no") as string,
      }),
    );
    expect(() => read(".")).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: expect.stringContaining("a directory") as string,
      }),
    );
  });
});
