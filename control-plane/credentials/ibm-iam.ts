// Access tokens of IBM Cloud IAM: an API key is exchanged for a token of an hour.
// @see https://cloud.ibm.com/docs/account?topic=account-iamtoken_from_apikey
import type { Environment } from "../report/environment.ts";
import type { IbmSource } from "../../model/cloud-credentials.ts";
import type { MintedToken } from "./refresher.ts";

const TOKEN_URL = "https://iam.cloud.ibm.com/identity/token";
/** Used if the response does not contain the lifetime. */
const SHORT_SECONDS = 600;

interface IbmToken {
  access_token?: string;
  expires_in?: number;
  errorMessage?: string;
}

export async function mintIbmToken(
  { secretVariable, url = TOKEN_URL }: IbmSource,
  environment: Environment,
): Promise<MintedToken> {
  // The requests of Google's library, which honour HTTPS_PROXY.
  const { gaxios } = await import("google-auth-library");
  const { status, data } = await new gaxios.Gaxios().request<IbmToken>({
    url,
    method: "POST",
    headers: { accept: "application/json" },
    data: new URLSearchParams({
      grant_type: "urn:ibm:params:oauth:grant-type:apikey",
      apikey: environment[secretVariable] ?? "",
    }),
    maxRedirects: 0,
    timeout: 20_000,
    validateStatus: () => true,
  });
  const { access_token: token, expires_in: seconds = SHORT_SECONDS, errorMessage } = data;
  if (status !== 200) {
    const reason = errorMessage === undefined ? "" : `: ${errorMessage}`;
    throw new Error(`IBM Cloud IAM responded with ${String(status)}${reason}`);
  }
  if (token === undefined || token === "") throw new Error("empty token");
  return { token, expiresAt: Date.now() + seconds * 1000 };
}
