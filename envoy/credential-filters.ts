// Credentials of cloud providers, as upstream filters: AWS signatures, and access tokens from files that the control plane
// writes. docs/decisions/2026-11-22-cloud-credentials.md
import { join } from "node:path";
import type { AwsRole, AwsSource, CloudCredential, Signing } from "../model/cloud-credentials.ts";
import { signingsOf, tokensOf } from "../model/cloud-credentials.ts";
import type { GatewayModel } from "../model/model.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import type { Extension, Fields } from "./envoy-types.ts";
import { extension, typed } from "./envoy-types.ts";

/** Secret that is always empty: the filter that sends it rejects the request. */
const EMPTY_SECRET = "no_credential";

/** Returns the filters that attach the credential; they follow every filter that changes the request. */
export function credentialFilters(
  { signing, token }: CloudCredential,
  { tokensDirectory = "" }: Pick<RuntimeEnvironment, "tokensDirectory">,
): Extension[] {
  if (signing !== undefined) return [sign(signing), rejectUnsigned(tokensDirectory)];
  return token === undefined ? [] : [injectToken(token.secret, tokensDirectory)];
}

function sign({ service, region, source, role }: Signing): Extension {
  return extension(
    "envoy.filters.http.aws_request_signing",
    "extensions.filters.http.aws_request_signing.v3.AwsRequestSigning",
    {
      service_name: service,
      region,
      // By default Envoy signs nearly all headers, and a proxy in between could change one.
      match_included_headers: [
        { exact: "host" },
        { exact: "content-type" },
        // Of the gateway's: the guardrail and the latency of an entry.
        { prefix: "x-amzn-bedrock-" },
      ],
      credential_provider: only(role === undefined ? provider(source) : assume(role, source)),
    },
  );
}

/** Without this Envoy would try all of its providers in turn. */
function only(provider: Fields): Fields {
  return { custom_credential_provider_chain: true, ...provider };
}

function provider(source: AwsSource): Fields {
  switch (source.from) {
    case "environment":
      return { environment_credential_provider: {} };
    case "profile":
      return {
        credentials_file_provider: {
          credentials_data_source: { filename: source.file, ...watched(source.file) },
          profile: source.profile,
        },
      };
    case "web_identity":
      return {
        assume_role_with_web_identity_provider: {
          ...roleFields(source.role),
          web_identity_token_data_source: { filename: source.file, ...watched(source.file) },
        },
      };
    case "container":
      return { container_credential_provider: {} };
    case "instance":
      return { instance_profile_credential_provider: {} };
  }
}

function assume(role: AwsRole, source: AwsSource): Fields {
  const { externalId } = role;
  return {
    assume_role_credential_provider: {
      ...roleFields(role),
      ...(externalId === undefined ? {} : { external_id: externalId }),
      credential_provider: only(provider(source)),
    },
  };
}

function roleFields({ arn, sessionName }: AwsRole): Fields {
  return { role_arn: arn, role_session_name: sessionName };
}

/** A file that is replaced by renaming, as Kubernetes does for its whole directory. */
function watched(file: string): Fields {
  return { watched_directory: { path: join(file, "..") } };
}

/**
 * Returns the filter that rejects a request without a signature: the signing filter lets it pass if it has no
 * credentials. A filter without a token is the one that rejects every request, and a signed request skips it.
 */
function rejectUnsigned(tokensDirectory: string): Extension {
  return extension(
    "envoy.filters.http.match_delegate",
    "extensions.common.matching.v3.ExtensionWithMatcher",
    {
      extension_config: injectToken(EMPTY_SECRET, tokensDirectory),
      xds_matcher: {
        matcher_list: {
          matchers: [
            {
              predicate: {
                single_predicate: {
                  input: extension("authorization", "type.matcher.v3.HttpRequestHeaderMatchInput", {
                    header_name: "authorization",
                  }),
                  value_match: { prefix: "AWS4-HMAC-SHA256 " },
                },
              },
              on_match: {
                action: extension("skip", "extensions.filters.common.matcher.action.v3.SkipFilter"),
              },
            },
          ],
        },
      },
    },
  );
}

/** Returns the filter that adds a token. Without one it rejects the request (`failed_to_inject_credential`). */
function injectToken(secret: string, directory: string): Extension {
  const path = secretFile(secret, directory);
  const source = { path_config_source: { path, watched_directory: { path: directory } } };
  return extension(
    "envoy.filters.http.credential_injector",
    "extensions.filters.http.credential_injector.v3.CredentialInjector",
    {
      // Otherwise the token of an earlier attempt would stay.
      overwrite: true,
      credential: extension(
        "envoy.http.injected_credentials.generic",
        "extensions.http.injected_credentials.generic.v3.Generic",
        {
          credential: { name: secret, sds_config: source },
          header: "authorization",
          header_value_prefix: "Bearer ",
        },
      ),
    },
  );
}

/** A file by which Envoy gets a secret. */
export interface SecretFile {
  file: string;
  text: string;
}

/** Returns the files without their tokens; all must exist when Envoy reads its configuration. */
export function emptySecrets(
  { targets }: Pick<GatewayModel, "targets">,
  directory: string,
): SecretFile[] {
  const names = tokensOf(targets).map(({ secret }) => secret);
  const guarded = signingsOf(targets).length === 0 ? [] : [EMPTY_SECRET];
  return [...guarded, ...names].map((name) => secretWith(name, "", directory));
}

/** Returns the file of a secret. Envoy rejects a file without a secret in it, so a missing token is an empty one. */
export function secretWith(name: string, token: string, directory: string): SecretFile {
  const secret = typed("extensions.transport_sockets.tls.v3.Secret", {
    name,
    generic_secret: { secret: { inline_string: token } },
  });
  const text = JSON.stringify({ resources: [secret] });
  return { file: secretFile(name, directory), text };
}

function secretFile(name: string, directory: string): string {
  return join(directory, `${name}.json`);
}
