// The contract's tables: a row is enough for everything that the control plane makes of it.
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CREDENTIAL_KINDS, CredentialKind, NO_CREDENTIAL } from "../../../contract/credentials.ts";
import { DIALECTS } from "../../../contract/dialects.ts";
import { filterConfig } from "../../../model/filter-document/write-document.ts";
import { clusterOf } from "../../../model/upstreams.ts";
import { folderOf } from "../../../scripts/docs/dialect-tables.ts";
import { host, modelOf, targetAt } from "../../envoy/models.ts";

/** A kind that no provider of the table uses. */
const NEW = Object.assign(new CredentialKind(), { name: "new_key", header: "new-key" });

describe("a kind of credential", () => {
  beforeAll(() => CREDENTIAL_KINDS.push(NEW));
  afterAll(() => CREDENTIAL_KINDS.pop());

  it.each(CREDENTIAL_KINDS.filter((kind) => kind !== NO_CREDENTIAL))(
    "$name has its own cluster",
    (kind) => {
      const target = targetAt("a/b", host("api.example.com"), {
        auth: { kind: kind.name, environmentVariable: "A_KEY" },
      });
      const model = modelOf([target]);
      expect(clusterOf(target)).toMatch(new RegExp(`/${kind.name}(/|$)`));
      expect(filterConfig(model).targets[0]).toMatchObject({ auth: kind.name, keys: ["A_KEY"] });
    },
  );

  it("a kind of credential has a name and a header that no other kind has", () => {
    for (const key of ["name", "header"] as const)
      expect(new Set(CREDENTIAL_KINDS.map((kind) => kind[key])).size).toBe(CREDENTIAL_KINDS.length);
  });
});

describe.each(DIALECTS)("the dialect $name", ({ name, path, basePath }) => {
  it("a dialect has a folder in the filter", () => {
    expect(existsSync(`filter/dialects/${folderOf(name)}/dialect.ts`)).toBe(true);
  });

  it("a dialect has an endpoint below its base path", () => {
    expect(path.startsWith(`${basePath}/`)).toBe(true);
  });
});

const OF_CLIENTS = DIALECTS.filter(({ hasClients }) => hasClients);

describe.each(OF_CLIENTS)("the dialect $name, for clients", ({ errorBody, errorType }) => {
  it("a client dialect has an error body that is JSON", () => {
    const values = errorBody.replaceAll("$details", "").replaceAll(/\$[a-z_]+/g, '"x"');
    expect(JSON.parse(values)).toMatchObject({ error: { type: "x", message: "x" } });
  });

  it("a client dialect has a type for each error status", () => {
    for (let status = 400; status < 600; status++)
      expect(errorType(status)).toMatch(/_error$|_large$/);
  });
});

it("the dialects for clients come first", () => {
  expect(DIALECTS.slice(0, OF_CLIENTS.length)).toEqual(OF_CLIENTS);
});
