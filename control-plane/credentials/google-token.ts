// Access tokens of Google Cloud, by google-auth-library. Each request makes a new client: one that is kept would return its
// token from memory until shortly before it expires.
import { readFileSync } from "node:fs";
import type * as Library from "google-auth-library";
import type { GoogleSource } from "../../model/cloud-credentials.ts";
import type { MintedToken } from "./refresher.ts";

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
/** Used if the response does not contain the lifetime; Google's tokens live an hour. */
const SHORT_MS = 10 * 60_000;

/** The members that the gateway reads itself; the library reads the others. */
interface CredentialFile extends Record<string, unknown> {
  type: string;
  credential_source?: { environment_id?: string; executable?: object };
  source_credentials?: CredentialFile;
  service_account_impersonation_url?: string;
}

export async function mintGoogleToken(source: GoogleSource): Promise<MintedToken> {
  const library = await import("google-auth-library");
  const client = clientOf(library, source);
  const { token } = await client.getAccessToken();
  if (token === undefined || token === null || token === "") throw new Error("empty token");
  return { token, expiresAt: client.credentials.expiry_date ?? Date.now() + SHORT_MS };
}

function clientOf(
  library: typeof Library,
  { file, impersonatedAccount }: GoogleSource,
): Library.AuthClient {
  const client =
    file === undefined
      ? new library.Compute({ scopes: [SCOPE] })
      : clientOfFile(library, JSON.parse(readFileSync(file, "utf8")) as CredentialFile);
  return impersonatedAccount === undefined
    ? client
    : impersonate(library, client, impersonatedAccount);
}

function clientOfFile(library: typeof Library, json: CredentialFile): Library.AuthClient {
  switch (json.type) {
    case "service_account": {
      const client = new library.JWT({ scopes: [SCOPE] });
      client.fromJSON(json);
      return client;
    }
    case "authorized_user": {
      const client = new library.UserRefreshClient();
      client.fromJSON(json);
      return client;
    }
    case "external_account":
      return externalAccount(library, json);
    case "external_account_authorized_user":
      return new library.ExternalAccountAuthorizedUserClient(json as never);
    case "impersonated_service_account":
      return impersonatedFile(library, json);
    default:
      throw new Error(`unknown type of credential file: ${json.type}`);
  }
}

/** Returns the client for the kind of credential that the file exchanges. */
function externalAccount(library: typeof Library, json: CredentialFile): Library.AuthClient {
  const { environment_id: isAws, executable } = json.credential_source ?? {};
  const options = json as never;
  const client =
    isAws !== undefined
      ? new library.AwsClient(options)
      : executable !== undefined
        ? new library.PluggableAuthClient(options)
        : new library.IdentityPoolClient(options);
  client.scopes = [SCOPE];
  return client;
}

function impersonatedFile(library: typeof Library, json: CredentialFile): Library.AuthClient {
  const { source_credentials: from, service_account_impersonation_url: url = "" } = json;
  const account = /([^/]+):generateAccessToken$/.exec(url)?.[1];
  if (from === undefined || account === undefined)
    throw new Error("the credential file has no source_credentials or service account");
  return impersonate(library, clientOfFile(library, from), account);
}

function impersonate(
  library: typeof Library,
  sourceClient: Library.AuthClient,
  account: string,
): Library.AuthClient {
  return new library.Impersonated({
    sourceClient,
    targetPrincipal: account,
    targetScopes: [SCOPE],
    lifetime: 3600,
  });
}
