// `observability.metrics.sign_in`: people sign in to the page at an identity provider (OpenID Connect).
import type { SignIn } from "../../../model/model.ts";
import { isLoopback } from "../../../model/listener-url.ts";
import type { Path } from "../../report/problem.ts";
import { readKeyReference } from "../provider/access-key.ts";
import { parseDuration } from "../quantity.ts";
import type { Reading } from "../reading.ts";
import { duration, flag, list, mapping, text, whole } from "../schema-words.ts";
import type { Draft } from "../section.ts";

const SCOPES = ["openid", "profile", "email"];
const NAME_CLAIM = "email";
const GROUPS_CLAIM = "groups";
const SESSION_MS = 8 * 3600_000;
const MAX_KEYS = 10;
/** One page of the API. */
const MOST_KEYS = 500;
const MIN_SECRET = 32;

const SECRET_HINT =
  "write session_secret: $SESSION_SECRET, and put a long random text in the environment or in .env as SESSION_SECRET=… (openssl rand -hex 32)";
const CLIENT_HINT =
  "write client_secret: $OIDC_CLIENT_SECRET, and put the secret in the environment or in .env";

const groups = (role: string) =>
  list(text({ description: "A group; `*` for everybody." }), `Groups ${role}.`).optional();

export const signInSchema = mapping(
  {
    issuer: text({
      description: "URL of the identity provider, whose discovery document is read.",
      examples: ["https://login.example.com/realms/company"],
    }),
    client_id: text({ description: "Name of the gateway at the provider." }),
    client_secret: text(
      { description: "A reference to an environment variable.", examples: ["$OIDC_CLIENT_SECRET"] },
      "a reference to an environment variable",
    ),
    session_secret: text(
      {
        description:
          "A reference to an environment variable: what signs sessions, at least 32 characters. Several texts with a comma between them: the first one signs, all are accepted.",
        examples: ["$SESSION_SECRET"],
      },
      "a reference to an environment variable",
    ),
    url: text({
      description:
        "URL of the page as browsers use it. The provider must allow `<url>/sign-in/callback`.",
      examples: ["https://gateway.example.com"],
    }),
    scopes: list(text({ description: "A scope." }), "Scopes that are requested.").optional(),
    claims: mapping(
      {
        name: text({
          description: "Claim with the name of a person, which becomes the owner of keys.",
          default: NAME_CLAIM,
        }).optional(),
        groups: text({
          description: "Claim with the groups, or a path such as `resource_access.gateway.roles`.",
          default: GROUPS_CLAIM,
        }).optional(),
      },
      "Which claims are read.",
    ).optional(),
    roles: mapping(
      {
        viewer: groups("that may read the page"),
        operator: groups("that may also see requests, use the playground and change all keys"),
        admin: groups("that may also change groups"),
      },
      "Roles by group. Everybody with a role also has the next lower ones.",
    ).optional(),
    self_service: list(
      text({ description: "A group; `*` for everybody." }),
      "Groups that see and create keys for themselves, and nothing else.",
    ).optional(),
    max_keys: whole(1, MOST_KEYS, {
      description:
        "How many keys a person may have, revoked ones aside, to create another one. Each has the budget and the limits of its groups.",
      default: MAX_KEYS,
    }).optional(),
    require_verified_email: flag({
      description:
        "Whether an address as the name of a person needs the claim `email_verified`. `false` accepts an address without the claim (Entra ID sends none); an address that the claim calls unverified is always refused.",
      default: true,
    }).optional(),
    session: duration({ description: "How long a sign-in lasts.", default: "8h" }).optional(),
  },
  "Signs people in at an identity provider by OpenID Connect ([more](sign-in.md)). The token stays for programs.",
);

type Written = Draft<{
  issuer: string;
  client_id: string;
  client_secret: string;
  session_secret: string;
  url: string;
  scopes: string[];
  claims: { name: string; groups: string };
  roles: { viewer: string[]; operator: string[]; admin: string[] };
  self_service: string[];
  max_keys: number;
  require_verified_email: boolean;
  session: string;
}>;

/** Returns the settings; undefined if one that is required is missing or invalid. */
export function readSignIn(reading: Reading, path: Path, written: Written): SignIn | undefined {
  const { issuer, client_id: clientId, url, scopes, claims, roles = {}, session } = written;
  const { client_secret: client, session_secret: signing, self_service: selfService } = written;
  const { max_keys: maxKeys, require_verified_email: needsVerifiedEmail } = written;
  checkUrl(reading, [...path, "issuer"], issuer);
  checkUrl(reading, [...path, "url"], url);
  const secretVariable =
    client && readKeyReference(reading, [...path, "client_secret"], client, CLIENT_HINT);
  const sessionVariable =
    signing && readKeyReference(reading, [...path, "session_secret"], signing, SECRET_HINT);
  checkSecrets(reading, [...path, "session_secret"], sessionVariable);
  const rolesOf = (list: readonly (string | undefined)[] | undefined) =>
    list?.filter((group) => group !== undefined);
  const all = {
    viewer: rolesOf(roles.viewer),
    operator: rolesOf(roles.operator),
    admin: rolesOf(roles.admin),
  };
  const allSelfService = rolesOf(selfService);
  if ([...Object.values(all), allSelfService].every((list) => list === undefined)) {
    reading.problem(path, "nobody could sign in: no group has a role", {
      hint: 'write roles: {admin: [the-group-of-admins]}, or self_service: ["*"]',
    });
  }
  if (
    issuer === undefined ||
    url === undefined ||
    clientId === undefined ||
    secretVariable === undefined ||
    sessionVariable === undefined
  )
    return undefined;
  return {
    ...{ issuer, clientId, secretVariable, sessionVariable },
    url: url.replace(/\/$/, ""),
    scopes: rolesOf(scopes) ?? SCOPES,
    claims: { name: claims?.name ?? NAME_CLAIM, groups: claims?.groups ?? GROUPS_CLAIM },
    roles: all,
    selfService: allSelfService ?? [],
    maxKeys: maxKeys ?? MAX_KEYS,
    needsVerifiedEmail: needsVerifiedEmail ?? true,
    sessionMs: (session === undefined ? undefined : parseDuration(session)) ?? SESSION_MS,
  };
}

function checkUrl(reading: Reading, path: Path, written: string | undefined): void {
  if (written === undefined) return;
  const url = URL.parse(written);
  const isPlain = url !== null && url.username === "" && url.search === "" && url.hash === "";
  const isLocal = url !== null && (url.hostname === "localhost" || isLoopback(url.hostname));
  if (isPlain && (url.protocol === "https:" || (url.protocol === "http:" && isLocal))) return;
  reading.problem(path, `expected an https:// URL, not ${reading.show(path, written)}`, {
    hint: "http:// is allowed on loopback addresses only",
  });
}

function checkSecrets(reading: Reading, path: Path, variable: string | undefined): void {
  const value = (variable && reading.environment[variable]) ?? "";
  if (value === "" || value.split(",").every((secret) => secret.trim().length >= MIN_SECRET))
    return;
  reading.problem(
    path,
    `a text of ${variable ?? ""} is shorter than ${String(MIN_SECRET)} characters`,
    {
      hint: "generate a longer one: openssl rand -hex 32",
    },
  );
}
