// `claude_code`: developers log in from their terminal at the identity provider of `sign_in`, and Claude Code gets its settings.
import { z } from "zod";
import { isLoopback } from "../../../model/listener-url.ts";
import type { AgentSettings, Login } from "../../../model/login.ts";
import { parseDuration } from "../quantity.ts";
import type { Reading } from "../reading.ts";
import { duration, list, mapping, named, text } from "../schema-words.ts";
import { section } from "../section.ts";

const EVERYBODY = "*";
const TOKEN_MS = 3600_000;
const MIN_TOKEN_MS = 60_000;
/** Claude Code shows no more. */
const MAX_NOTICE = 500;
/** What the identity provider needs to issue a refresh token (OpenID Connect Core, section 11). */
const REFRESH_SCOPE = "offline_access";
/** Parameters that the sign-in itself sets. */
const OWN_PARAMETERS =
  /^(?:client_id|redirect_uri|scope|state|nonce|response_(?:type|mode)|code_challenge(?:_method)?)$/;

const settingsSchema = (description: string) =>
  named(z.unknown(), `${description} Keys are those of Claude Code's \`managed-settings.json\`.`);

const schema = mapping(
  {
    url: text({
      description:
        "URL of the egress listener as the developers' machines use it. The identity provider must allow `<url>/sign-in/callback`.",
      examples: ["https://gateway.example.com"],
    }),
    allowed_groups: list(
      text({ description: "A group of the identity provider; `*` for everybody." }),
      "Whose members may log in. If not set, everybody whom the identity provider lets in.",
    ).optional(),
    token_lifetime: duration({
      description:
        "How long a token is valid, at least 1m. It is also how long somebody who has left can still send requests.",
      default: "1h",
    }).optional(),
    scopes: list(
      text({ description: "A scope." }),
      "Scopes that are requested. If not set, those of `sign_in` and `offline_access`, for which the identity provider issues a refresh token.",
    ).optional(),
    authorization_parameters: named(
      text({ description: "Its value." }),
      "Further parameters of the request to the identity provider. Google needs `access_type: offline` and `prompt: consent`.",
    ).optional(),
    login_notice: text({
      description: "What Claude Code shows at the login, at most 500 characters.",
    }).optional(),
    settings: settingsSchema("Claude Code's settings for everybody.").optional(),
    group_settings: list(
      mapping(
        {
          groups: list(
            text({ description: "A group of the identity provider." }),
            "Whose members get them.",
          ),
          settings: settingsSchema("Claude Code's settings for the groups."),
        },
        "Settings of groups.",
      ),
      "Settings by group, over those of everybody: mappings are joined, anything else is replaced. Of two entries the later one wins.",
    ).optional(),
  },
  "Developers log in to the egress listener from their terminal, with Claude Code or `gateway login`, at the identity provider of `observability.metrics.sign_in` ([more](claude-code-login.md)). Clients of this listener then need a token or a key.",
);

const PATH = ["claude_code"];

export const claudeCode = section({
  key: "claude_code",
  schema,
  read({ reading, model }, written) {
    if (written === undefined) return {};
    const signIn = model.observability?.metrics.signIn;
    if (signIn === undefined)
      reading.problem(PATH, "observability.metrics.sign_in is missing, at which people sign in", {
        hint: "add observability: {metrics: {sign_in: …}} (docs/sign-in.md)",
      });
    const { url, login_notice: notice, token_lifetime: lifetime, settings } = written;
    checkUrl(reading, url);
    const { length } = notice ?? "";
    if (length > MAX_NOTICE)
      reading.problem([...PATH, "login_notice"], `the text has ${String(length)} characters`, {
        hint: `use at most ${String(MAX_NOTICE)}`,
      });
    const parameters = present(written.authorization_parameters);
    for (const name of Object.keys(parameters).filter((one) => OWN_PARAMETERS.test(one)))
      reading.problem([...PATH, "authorization_parameters", name], "the gateway sets it itself", {
        part: "key",
        hint: "remove it",
      });
    const tokenMs = lifetime === undefined ? undefined : parseDuration(lifetime);
    if (tokenMs !== undefined && tokenMs < MIN_TOKEN_MS)
      reading.problem([...PATH, "token_lifetime"], "a token would end before it is used", {
        hint: "use at least 1m",
      });
    if (signIn === undefined || url === undefined) return {};
    const login: Login = {
      url: url.replace(/\/$/, ""),
      allowedGroups: texts(written.allowed_groups) ?? [EVERYBODY],
      scopes: texts(written.scopes) ?? [...new Set([...signIn.scopes, REFRESH_SCOPE])],
      parameters,
      tokenMs: tokenMs ?? TOKEN_MS,
      ...(notice === undefined ? {} : { notice }),
      ...(settings === undefined ? {} : { settings: present<AgentSettings[string]>(settings) }),
      groupSettings: (written.group_settings ?? []).flatMap((entry) => {
        const groups = texts(entry?.groups);
        return groups === undefined || entry?.settings === undefined
          ? []
          : [{ groups, settings: present<AgentSettings[string]>(entry.settings) }];
      }),
    };
    return { login };
  },
});

function texts(written: readonly (string | undefined)[] | undefined): string[] | undefined {
  return written?.filter((one) => one !== undefined);
}

function present<Value>(
  written: Readonly<Record<string, Value | undefined>> = {},
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(written).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

/** Claude Code rejects http on other hosts, and reads the metadata at the root of the host. */
function checkUrl(reading: Reading, written: string | undefined): void {
  if (written === undefined) return;
  const url = URL.parse(written);
  const isOrigin = url !== null && `${url.origin}/` === url.href && url.username === "";
  const isLocal = url !== null && (url.hostname === "localhost" || isLoopback(url.hostname));
  if (isOrigin && (url.protocol === "https:" || (url.protocol === "http:" && isLocal))) return;
  const at = [...PATH, "url"];
  reading.problem(at, `expected an https:// URL without a path, not ${reading.show(at, written)}`, {
    hint: "http:// is allowed on loopback addresses only",
  });
}
