// Access tokens of Microsoft Entra ID, by @azure/identity. Each request makes a new credential: one that is kept would return
// its token from memory until shortly before it expires.
import type * as Library from "@azure/identity";
import type { Environment } from "../report/environment.ts";
import type { EntraSource } from "../../model/cloud-credentials.ts";
import type { MintedToken } from "./refresher.ts";

export async function mintEntraToken(
  source: EntraSource,
  environment: Environment,
): Promise<MintedToken> {
  const library = await import("@azure/identity");
  const found = await credentialOf(library, source, environment).getToken(source.scope);
  if (found === null || found.token === "") throw new Error("empty token");
  return { token: found.token, expiresAt: found.expiresOnTimestamp };
}

function credentialOf(
  library: typeof Library,
  source: EntraSource,
  environment: Environment,
): Library.TokenCredential {
  const { from, tenantId = "", clientId = "", tokenFile = "", secretVariable = "" } = source;
  const { authorityHost } = source;
  const options = authorityHost === undefined ? {} : { authorityHost };
  switch (from) {
    case "client_secret": {
      const secret = environment[secretVariable] ?? "";
      return new library.ClientSecretCredential(tenantId, clientId, secret, options);
    }
    case "workload_identity":
      return new library.WorkloadIdentityCredential({
        tenantId,
        clientId,
        tokenFilePath: tokenFile,
        ...options,
      });
    case "managed_identity":
      return clientId === ""
        ? new library.ManagedIdentityCredential()
        : new library.ManagedIdentityCredential({ clientId });
    case "azure_cli":
      return new library.AzureCliCredential(tenantId === "" ? {} : { tenantId });
  }
}
