// Credentials of cloud providers, which Envoy attaches to each request: AWS signatures and access tokens.
import { createHash } from "node:crypto";

/** AWS Signature Version 4, computed by Envoy. */
export interface Signing {
  /** The name that is signed: `bedrock`, `bedrock-mantle`. */
  service: string;
  region: string;
  source: AwsSource;
  /** Assumed with the credentials of the source. */
  role?: AwsRole;
}

/** Where Envoy reads the AWS credentials. */
export type AwsSource =
  | { from: "environment" }
  | { from: "profile"; /** Absolute path. */ file: string; profile: string }
  | { from: "web_identity"; /** Absolute path. */ file: string; role: AwsRole }
  | { from: "container" }
  | { from: "instance" };

export interface AwsRole {
  arn: string;
  sessionName: string;
  externalId?: string;
}

/** An access token that the control plane requests, and that Envoy sends as bearer token. */
export interface Token {
  /** Name of the secret by which Envoy gets it. Equal tokens have the same name. */
  secret: string;
  source: TokenSource;
}

export type TokenSource = GoogleSource | EntraSource | IbmSource;

/** Google Cloud; without a file, the metadata server of the machine. */
export interface GoogleSource {
  type: "google";
  /** Absolute path of a credential file: service account key, authorized user, workload identity federation … */
  file?: string;
  /** E-mail address of the service account that is impersonated. */
  impersonatedAccount?: string;
}

/** Microsoft Entra ID. */
export interface EntraSource {
  type: "entra_id";
  scope: string;
  from: EntraOrigin;
  tenantId?: string;
  clientId?: string;
  /** Environment variable with the client secret. */
  secretVariable?: string;
  /** Absolute path of the token that is exchanged (`workload_identity`). */
  tokenFile?: string;
  /** The login service; absent: that of the public cloud. */
  authorityHost?: string;
}

/** IBM Cloud IAM: an API key is exchanged for a token. */
export interface IbmSource {
  type: "ibm_iam";
  /** Environment variable with the API key. */
  secretVariable: string;
  /** Where keys are exchanged; absent: IBM Cloud. */
  url?: string;
}

export type EntraOrigin = "client_secret" | "workload_identity" | "managed_identity" | "azure_cli";

export interface CloudCredential {
  signing?: Signing;
  token?: Token;
}

export function tokenOf(source: TokenSource): Token {
  return { secret: `${source.type}-${hashOf(source)}`, source };
}

/** Returns the part of a cluster's name that stands for the credential; undefined if Envoy attaches none. */
export function credentialName({ signing, token }: CloudCredential): string | undefined {
  if (signing === undefined) return token?.secret;
  const { service, region, ...origin } = signing;
  return `aws-${service}-${region}-${hashOf(origin)}`;
}

/** Returns the tokens of the targets, each once. */
export function tokensOf(targets: readonly { auth: CloudCredential }[]): Token[] {
  const tokens = targets.flatMap(({ auth }) => (auth.token === undefined ? [] : [auth.token]));
  return [...new Map(tokens.map((token) => [token.secret, token])).values()];
}

export function signingsOf(targets: readonly { auth: CloudCredential }[]): Signing[] {
  return targets.flatMap(({ auth }) => (auth.signing === undefined ? [] : [auth.signing]));
}

const AWS_VARIABLES: Record<AwsSource["from"], readonly string[]> = {
  environment: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"],
  profile: [],
  web_identity: [],
  container: [
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
  ],
  instance: [],
};

/** Returns the environment variables from which Envoy reads the credentials of the targets. */
export function awsVariables(targets: readonly { auth: CloudCredential }[]): string[] {
  return [...new Set(signingsOf(targets).flatMap(({ source }) => AWS_VARIABLES[source.from]))];
}

function hashOf(value: object): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 8);
}

/** Returns the environment variable whose value a token depends on. */
export function secretVariableOf(source: TokenSource): string | undefined {
  return source.type === "google" ? undefined : source.secretVariable;
}

/** Returns where a credential comes from, for people; undefined if Envoy attaches none. */
export function credentialText({ signing, token }: CloudCredential): string | undefined {
  if (signing === undefined) return token === undefined ? undefined : sourceText(token.source);
  const { source, role } = signing;
  return awsText(source) + (role === undefined ? "" : `, assuming ${role.arn}`);
}

function awsText(source: AwsSource): string {
  switch (source.from) {
    case "environment":
      return "AWS keys in the environment (AWS_ACCESS_KEY_ID)";
    case "profile":
      return `AWS profile [${source.profile}] in ${source.file}`;
    case "web_identity":
      return `AWS web identity (${source.file}) as ${source.role.arn}`;
    case "container":
      return "AWS credentials of the container";
    case "instance":
      return "AWS role of the EC2 instance";
  }
}

export function sourceText(source: TokenSource): string {
  switch (source.type) {
    case "google":
      return googleText(source);
    case "entra_id":
      return entraText(source);
    case "ibm_iam":
      return `IBM Cloud API key ($${source.secretVariable})`;
  }
}

function googleText({ file, impersonatedAccount }: GoogleSource): string {
  const from =
    file === undefined ? "Google Cloud's metadata server" : `Google credentials in ${file}`;
  return from + (impersonatedAccount === undefined ? "" : `, impersonating ${impersonatedAccount}`);
}

function entraText({
  from,
  clientId = "",
  secretVariable = "",
  tokenFile = "",
}: EntraSource): string {
  switch (from) {
    case "client_secret":
      return `Entra ID application ${clientId} ($${secretVariable})`;
    case "workload_identity":
      return `Entra ID workload identity ${clientId} (${tokenFile})`;
    case "managed_identity":
      return `Azure managed identity${clientId === "" ? "" : ` ${clientId}`}`;
    case "azure_cli":
      return "Azure CLI (az login)";
  }
}
