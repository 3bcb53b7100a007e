// `credential` of type entra_id: the order of the sources is that of Azure's DefaultAzureCredential.
import { resolve } from "node:path";
import type { EntraOrigin, EntraSource } from "../../../../model/cloud-credentials.ts";
import type { Path } from "../../../report/problem.ts";
import type { Reading } from "../../reading.ts";
import { readKeyReference } from "../access-key.ts";
import { readFileOf, resolveFile } from "./credential-file.ts";
import { type CredentialDraft, ENTRA_SOURCES } from "./credential-schema.ts";

const DEFAULT_SCOPE = "https://cognitiveservices.azure.com/.default";
const SECRET = "AZURE_CLIENT_SECRET";
const TOKEN_FILE = "AZURE_FEDERATED_TOKEN_FILE";

export function readEntraId(
  reading: Reading,
  at: Path,
  written: CredentialDraft,
  scope: string | undefined,
): EntraSource | undefined {
  const value = (name: string): string | undefined => reading.environment[name] || undefined;
  const secretVariable = readSecret(reading, at, written);
  if (written.client_secret !== undefined && secretVariable === undefined) return undefined;
  const ids = {
    tenantId: written.tenant_id ?? value("AZURE_TENANT_ID"),
    clientId: written.client_id ?? value("AZURE_CLIENT_ID"),
    tokenFile: value(TOKEN_FILE),
    secretVariable,
  };
  const from = originOf(reading, at, written, ids);
  if (from === undefined || !checkRequired(reading, at, from, ids)) return undefined;
  const isApplication = from === "client_secret" || from === "workload_identity";
  const chosen = {
    tenantId: isApplication || from === "azure_cli" ? ids.tenantId : undefined,
    clientId: from === "azure_cli" ? undefined : ids.clientId,
    secretVariable: from === "client_secret" ? secretVariable : undefined,
    tokenFile:
      from === "workload_identity" && ids.tokenFile !== undefined
        ? resolve(ids.tokenFile)
        : undefined,
    authorityHost: isApplication ? value("AZURE_AUTHORITY_HOST") : undefined,
  };
  return {
    type: "entra_id",
    scope: written.scope ?? scope ?? DEFAULT_SCOPE,
    from,
    ...Object.fromEntries(Object.entries(chosen).filter(([, one]) => one !== undefined)),
  };
}

interface Ids {
  tenantId: string | undefined;
  clientId: string | undefined;
  tokenFile: string | undefined;
  secretVariable: string | undefined;
}

/** Returns the variable with the client secret; undefined if there is none, or a problem was reported. */
function readSecret(reading: Reading, at: Path, written: CredentialDraft): string | undefined {
  const { client_secret: reference } = written;
  if (reference === undefined) {
    return (reading.environment[SECRET] ?? "") === "" ? undefined : SECRET;
  }
  const hint = `write client_secret: $${SECRET}, and set ${SECRET} in the environment or in .env`;
  return readKeyReference(reading, [...at, "client_secret"], reference, hint);
}

function originOf(
  reading: Reading,
  at: Path,
  { source, client_secret: written }: CredentialDraft,
  { secretVariable, tokenFile, tenantId, clientId }: Ids,
): EntraOrigin | undefined {
  const chosen = ENTRA_SOURCES.find((one) => one === source);
  if (source !== undefined && chosen === undefined) {
    reading.problem([...at, "source"], `a credential of type entra_id has no source ${source}`, {
      hint: `expected one of ${ENTRA_SOURCES.join(", ")}`,
    });
    return undefined;
  }
  if (chosen !== undefined) return chosen;
  const isApplication = tenantId !== undefined && clientId !== undefined;
  if (written !== undefined || (isApplication && secretVariable !== undefined))
    return "client_secret";
  if (isApplication && tokenFile !== undefined) return "workload_identity";
  return isDeveloper(reading) ? "azure_cli" : "managed_identity";
}

/** Returns whether somebody has run `az login` here, and no managed identity is announced. */
function isDeveloper(reading: Reading): boolean {
  const { environment } = reading;
  if (environment["IDENTITY_ENDPOINT"] || environment["MSI_ENDPOINT"]) return false;
  const folder = environment["AZURE_CONFIG_DIR"] || "~/.azure";
  const file = resolveFile(reading, `${folder}/azureProfile.json`);
  return readFileOf(reading, undefined, file) !== undefined;
}

const REQUIRED: Record<EntraOrigin, readonly (keyof Ids)[]> = {
  client_secret: ["tenantId", "clientId", "secretVariable"],
  workload_identity: ["tenantId", "clientId", "tokenFile"],
  managed_identity: [],
  azure_cli: [],
};

const MISSING: Record<keyof Ids, { message: string; hint: string }> = {
  tenantId: { message: "tenant_id is missing", hint: "write tenant_id, or set AZURE_TENANT_ID" },
  clientId: { message: "client_id is missing", hint: "write client_id, or set AZURE_CLIENT_ID" },
  secretVariable: {
    message: "client_secret is missing",
    hint: `write client_secret: $${SECRET}, and set ${SECRET} in the environment or in .env`,
  },
  tokenFile: {
    message: `the environment variable ${TOKEN_FILE} is not set`,
    hint: "Azure's workload identity webhook sets it in pods that use a labelled service account",
  },
};

function checkRequired(reading: Reading, at: Path, from: EntraOrigin, ids: Ids): boolean {
  const missing = REQUIRED[from].filter((key) => ids[key] === undefined);
  for (const key of missing) {
    const { message, hint } = MISSING[key];
    reading.problem(at, message, { hint });
  }
  return missing.length === 0;
}
