// `credential` of an entry: how Envoy gets the credential of a cloud provider, instead of an `access_key`.
import type { z } from "zod";
import type { Draft } from "../../section.ts";
import { CREDENTIAL_TYPES } from "../../../providers/cloud.ts";
import { mapping, oneOf, text } from "../../schema-words.ts";

/** The values of `source`, by type: in the order in which they are looked for. */
export const AWS_SOURCES = [
  "environment",
  "web_identity",
  "profile",
  "container",
  "instance",
] as const;
export const ENTRA_SOURCES = [
  "client_secret",
  "workload_identity",
  "managed_identity",
  "azure_cli",
] as const;

export const credential = mapping(
  {
    type: oneOf(
      CREDENTIAL_TYPES,
      "`aws`: requests are signed (Signature Version 4). `google`: an access token of Google Cloud. `entra_id`: an access token of Microsoft Entra ID. `ibm_iam`: an access token of IBM Cloud.",
    ),
    source: oneOf(
      [...AWS_SOURCES, ...ENTRA_SOURCES],
      "Where the credential is found. Default: the first that is present, in the order that the tools of the cloud have. aws: `environment`, `web_identity`, `profile`, `container`, `instance`. entra_id: `client_secret`, `workload_identity`, `managed_identity`, `azure_cli`.",
    ).optional(),
    credentials_file: text({
      description:
        "aws: the shared credentials file; default `AWS_SHARED_CREDENTIALS_FILE`, then `~/.aws/credentials`. google: a key of a service account, or any other file of Application Default Credentials; default `GOOGLE_APPLICATION_CREDENTIALS`, then the file that `gcloud auth application-default login` writes. Absolute, below `~/`, or relative to the configuration file.",
      examples: ["/var/run/secrets/google/key.json"],
    }).optional(),
    profile: text({
      description:
        "aws: the section of the credentials file. Default: `AWS_PROFILE`, then `default`.",
      examples: ["production"],
    }).optional(),
    role_arn: text({
      description: "aws: a role to assume with the credentials of the source.",
      examples: ["arn:aws:iam::123456789012:role/gateway"],
    }).optional(),
    role_session_name: text({
      description: "aws: the name of the session in CloudTrail.",
      default: "gateway",
    }).optional(),
    external_id: text("aws: the external id that the role requires.").optional(),
    region: text({
      description:
        "aws: the region that is signed. Default: the `region` of the entry, then `AWS_REGION`, then `AWS_DEFAULT_REGION`.",
      examples: ["eu-central-1"],
    }).optional(),
    service: text({
      description: "aws: the service that is signed.",
      default: "bedrock",
    }).optional(),
    impersonate_service_account: text({
      description: "google: the service account whose tokens are used.",
      examples: ["gateway@my-project.iam.gserviceaccount.com"],
    }).optional(),
    tenant_id: text("entra_id: the tenant. Default: `AZURE_TENANT_ID`.").optional(),
    client_id: text(
      "entra_id: the application, or the user-assigned managed identity. Default: `AZURE_CLIENT_ID`.",
    ).optional(),
    client_secret: text({
      description:
        "entra_id: the secret of the application, always as a reference to an environment variable. Default: `$AZURE_CLIENT_SECRET`.",
      examples: ["$AZURE_CLIENT_SECRET"],
    }).optional(),
    api_key: text({
      description:
        "ibm_iam: the API key of IBM Cloud, always as a reference to an environment variable. Default: `$WATSONX_APIKEY`, `$WATSONX_AI_APIKEY` or `$IBM_CLOUD_API_KEY`.",
      examples: ["$WATSONX_APIKEY"],
    }).optional(),
    scope: text({
      description:
        "entra_id: the scope of the token. Default: that of the provider; `https://cognitiveservices.azure.com/.default` for an address of your own.",
      examples: ["https://cognitiveservices.azure.us/.default"],
    }).optional(),
  },
  "The credential of a cloud provider, instead of an `access_key`: see docs/credentials.md.",
);

export type CredentialDraft = Draft<z.output<typeof credential>>;
export type CredentialKey = keyof CredentialDraft;
