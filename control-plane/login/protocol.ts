// What `GET /protocol` returns: the paths of the login for whoever writes a client, or looks for a fault.
import { LOGIN_PATHS } from "../../model/login.ts";

const LINES: readonly (readonly [request: string, purpose: string])[] = [
  [`GET ${LOGIN_PATHS.metadata}`, "metadata (RFC 8414)"],
  [`POST ${LOGIN_PATHS.device}`, "begins a login (RFC 8628); form, no client authentication"],
  [`GET ${LOGIN_PATHS.page}?user_code=…`, "where the person confirms the code in a browser"],
  [
    `POST ${LOGIN_PATHS.token}`,
    "`grant_type` is `urn:ietf:params:oauth:grant-type:device_code` or `refresh_token`",
  ],
  [`POST ${LOGIN_PATHS.revoke}`, "ends the session of a token (RFC 7009)"],
  [`GET ${LOGIN_PATHS.settings}`, "Claude Code's managed settings of the person; `ETag`, 304, 404"],
  ["POST /v1/messages, /v1/messages/count_tokens", "Anthropic's Messages API"],
  ["GET /v1/models", "the models that clients can use"],
  [
    `POST ${LOGIN_PATHS.metrics}, ${LOGIN_PATHS.logs}, ${LOGIN_PATHS.traces}`,
    "OTLP telemetry: accepted, and not kept",
  ],
];

/** @param url of the gateway, as clients use it */
export function protocolText(url: string): string {
  const rows = LINES.map(([request, purpose]) => `| \`${request}\` | ${purpose} |`);
  return `# Login to ${url}

Version 1 of the gateway protocol of Claude Code. \`Authorization: Bearer <access_token>\` on all paths below \`/v1\` and on
\`${LOGIN_PATHS.settings}\`.

| Request | Purpose |
| --- | --- |
${rows.join("\n")}

Errors of the paths below \`/oauth\` are those of OAuth (\`error\`, \`error_description\`); all others have the form of Anthropic's API.
A refresh that returns 401 with \`invalid_grant\` ends the session; 503 can be tried again.
`;
}
