// `listeners.<name>.jwt`: issuers of tokens that clients may send in place of an API key.
import { z } from "zod";
import { keySetAt, type TokenIssuer } from "../../../model/json-web-tokens.ts";
import type { Path } from "../../report/problem.ts";
import { parseDuration } from "../quantity.ts";
import type { Reading } from "../reading.ts";
import { duration, list, mapping, text } from "../schema-words.ts";
import type { Draft } from "../section.ts";

const DEFAULT_SKEW_S = 60;
const SUBJECT = "sub";

const claim = (description: string) =>
  z
    .union([z.string(), z.array(z.string())], { error: "the name of a claim, or a list of names" })
    .meta({ description });

const issuerSchema = mapping(
  {
    issuer: text({
      description: "The claim `iss` of its tokens, exactly.",
      examples: ["https://login.example.com"],
    }),
    audiences: list(
      text("An audience."),
      "The audiences of this gateway: the claim `aud` has to contain one of them.",
    ),
    jwks_uri: text(
      {
        description:
          "URL of the issuer's public keys. If not set, the gateway reads it in `<issuer>/.well-known/openid-configuration`.",
        examples: ["https://login.example.com/keys"],
      },
      "an http:// or https:// URL",
    ).optional(),
    claims: mapping(
      {
        name: claim(
          "The client's name in metrics, usage records and the page, after `jwt:`. Default: `sub`.",
        ).optional(),
        user: claim("The user, whose limits and budgets count. Default: `sub`.").optional(),
        groups: claim(
          "A group or a list of groups. If not set, clients have no groups.",
        ).optional(),
        models: claim(
          "A list of the models that the client may use, as in `allowed_models`. If not set, all.",
        ).optional(),
      },
      "Which claims identify the client. A list of names is a path: `[resource_access, gateway, roles]`.",
    ).optional(),
    clock_skew: duration({
      description: "By how much the clocks of issuer and gateway may differ.",
      default: `${String(DEFAULT_SKEW_S)}s`,
    }).optional(),
  },
  "An issuer of tokens.",
);

const EXPECTED = "an issuer (issuer, audiences), or a list of issuers";

export const tokenIssuersSchema = z
  .union([issuerSchema, z.array(issuerSchema)], { error: EXPECTED })
  .meta({
    description:
      "Clients may send a token (JWT) of one of these issuers in place of an API key ([more](identity.md)).",
  });

export type TokenIssuersDraft = Draft<z.output<typeof tokenIssuersSchema>>;
type IssuerDraft = Draft<z.output<typeof issuerSchema>>;

/**
 * Returns the issuers; undefined if there are none.
 * @param loginIssuer that of the login's own tokens on this listener, if it has a login
 */
export function readTokenIssuers(
  reading: Reading,
  path: Path,
  written: TokenIssuersDraft | undefined,
  loginIssuer: string | undefined,
): TokenIssuer[] | undefined {
  if (written === undefined) return undefined;
  const at = [...path, "jwt"];
  const isList = Array.isArray(written);
  const entries: readonly (IssuerDraft | undefined)[] = isList ? written : [written];
  if (entries.length === 0)
    reading.problem(at, "the list is empty", { part: "key", hint: `expected ${EXPECTED}` });
  const found: TokenIssuer[] = [];
  entries.forEach((entry, index) => {
    const place = isList ? [...at, index] : at;
    const issuer = entry && readIssuer(reading, place, entry);
    if (issuer === undefined) return;
    if (found.some((other) => other.issuer === issuer.issuer))
      reading.problem([...place, "issuer"], "the issuer is in the list twice");
    if (issuer.issuer === loginIssuer)
      reading.problem([...place, "issuer"], "this is the issuer of the tokens of claude_code", {
        hint: "remove the entry: the listener accepts these tokens already",
      });
    found.push(issuer);
  });
  return found;
}

function readIssuer(reading: Reading, path: Path, entry: IssuerDraft): TokenIssuer | undefined {
  const { issuer, audiences: written, jwks_uri: uri, claims = {}, clock_skew: skew } = entry;
  const audiences = written?.flatMap((one) => one ?? []);
  if (audiences?.length === 0)
    reading.problem(
      [...path, "audiences"],
      "the list is empty, so tokens for anybody would be valid",
      {
        part: "key",
        hint: "write what your issuer puts into the claim aud of tokens for the gateway",
      },
    );
  const isDiscovered = !Object.hasOwn(entry, "jwks_uri");
  const url = uri === undefined ? undefined : keySetUrl(reading, [...path, "jwks_uri"], uri);
  if (issuer === undefined || audiences === undefined) return undefined;
  if (isDiscovered) checkDiscoverable(reading, [...path, "issuer"], issuer);
  else if (url === undefined) return undefined;
  const groups = pathOf(claims.groups);
  const models = pathOf(claims.models);
  const skewMs = skew === undefined ? undefined : parseDuration(skew);
  return {
    issuer,
    audiences,
    ...(isDiscovered ? { isDiscovered } : {}),
    keySet: url === undefined ? "unknown" : keySetAt(url),
    clockSkew: skewMs === undefined ? DEFAULT_SKEW_S : Math.max(1, Math.ceil(skewMs / 1000)),
    claims: {
      name: pathOf(claims.name) ?? [SUBJECT],
      user: pathOf(claims.user) ?? [SUBJECT],
      ...(groups === undefined ? {} : { groups }),
      ...(models === undefined ? {} : { models }),
    },
  };
}

function pathOf(claim: string | readonly (string | undefined)[] | undefined): string[] | undefined {
  if (claim === undefined) return undefined;
  return typeof claim === "string" ? [claim] : claim.flatMap((part) => part ?? []);
}

function checkDiscoverable(reading: Reading, path: Path, issuer: string): void {
  const url = parseUrl(issuer);
  if (url !== undefined && url.search + url.hash === "") return;
  reading.problem(
    path,
    `${reading.show(path, issuer)} is no http:// or https:// URL, so it has no discovery document`,
    { hint: "set jwks_uri to the URL of its public keys" },
  );
}

function parseUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" ? url : undefined;
}

function keySetUrl(reading: Reading, path: Path, text: string): URL | undefined {
  const url = parseUrl(text);
  if (url !== undefined) return url;
  reading.problem(path, `expected an http:// or https:// URL, not ${reading.show(path, text)}`, {
    hint: "it is jwks_uri in <issuer>/.well-known/openid-configuration",
  });
  return undefined;
}
