// Environment, log arguments and CA file of the Envoy process.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readConfiguration } from "../../../../control-plane/supervisor/configuration-file.ts";
import { findConfigurationOrBuiltIn } from "../../../../control-plane/cli/find-configuration.ts";
import {
  envoyEnvironment,
  logArguments,
} from "../../../../control-plane/supervisor/envoy-process.ts";
import {
  findCaFile,
  requireCaFile,
} from "../../../../control-plane/supervisor/machine-settings.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gateway-cli-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

describe("the Envoy process", () => {
  it("the Envoy process gets the variables that the configuration names, and those that Envoy needs", () => {
    const all = { PATH: "/bin", OPENAI_API_KEY: "k", AWS_SECRET_ACCESS_KEY: "s", HOME: "/root" };
    expect(envoyEnvironment(all, ["OPENAI_API_KEY", "UNSET"])).toEqual({
      PATH: "/bin",
      HOME: "/root",
      OPENAI_API_KEY: "k",
    });
  });

  it("the Envoy process never logs request heads, which hold keys", () => {
    expect(logArguments("warning")).toEqual(["--log-level", "warning"]);
    expect(logArguments("debug").join(" ")).toBe(
      "--log-level info --component-log-level wasm:debug,upstream:debug,dns:debug",
    );
  });

  it("the Envoy process uses the CA file of SSL_CERT_FILE, and needs none if no provider is called by https", () => {
    const file = join(directory, "ca.pem");
    expect(() => findCaFile({ SSL_CERT_FILE: file })).toThrow(/does not exist/);
    writeFileSync(file, "");
    expect(findCaFile({ SSL_CERT_FILE: file })).toBe(file);
    const builtIn = readConfiguration(findConfigurationOrBuiltIn(undefined, directory), {}).model;
    expect(() => requireCaFile(builtIn, { SSL_CERT_FILE: "/none" })).not.toThrow();
  });
});
