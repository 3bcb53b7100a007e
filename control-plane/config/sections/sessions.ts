// `sessions`: a header that names the session of a request, whether its turns keep to one model and one key, and whether their prompts
// are compared.
import { MAX_HEADER_NAME } from "../../../contract/session.ts";
import { namesCredential } from "../../report/secrets.ts";
import { affinityKey } from "../affinity-key.ts";
import type { Reading } from "../reading.ts";
import { mapping, oneOf, text } from "../schema-words.ts";
import { section } from "../section.ts";

const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;

const schema = mapping(
  {
    header: text({
      description:
        "Request header whose value is the session. It comes before the headers that agents send, which are known without it.",
      examples: ["x-thread-id"],
    }).optional(),
    affinity: affinityKey.optional(),
    observe: oneOf(["on", "off"], {
      description:
        "`on`: the usage log has short hashes of the parts of each prompt, by which the gateway reports what broke a prompt cache ([more](sessions.md#why-a-cache-was-not-read)). Needs the usage log.",
      default: "on",
    }).optional(),
  },
  "How the requests of one conversation are found, and where they are sent: see docs/sessions.md.",
);

export const sessions = section({
  key: "sessions",
  schema,
  read({ reading }, value = {}) {
    const header = readHeader(reading, value.header);
    const { affinity, observe } = value;
    const sessions = {
      ...(header === undefined ? {} : { header }),
      ...(affinity === "off" ? { affinity } : {}),
      ...(observe === "off" ? { observe } : {}),
    };
    return Object.keys(sessions).length === 0 ? {} : { sessions };
  },
});

function readHeader(reading: Reading, written: string | undefined): string | undefined {
  if (written === undefined) return undefined;
  const path = ["sessions", "header"];
  const name = written.toLowerCase();
  const shown = reading.show(path, written);
  if (!HEADER_NAME.test(name)) {
    reading.problem(path, `${shown} is no header name`, {
      hint: "use the name of a request header, such as x-thread-id",
    });
  } else if (name.length > MAX_HEADER_NAME) {
    reading.problem(path, `the name has more than ${String(MAX_HEADER_NAME)} characters`, {
      hint: "use a shorter one",
    });
  } else if (namesCredential(name)) {
    reading.problem(path, `${shown} is a header of credentials, and sessions are written to logs`, {
      hint: "use a header with an id of the conversation",
    });
  } else if (OF_REQUESTS.has(name)) {
    reading.problem(path, `${shown} differs in each request, so each would be a session`, {
      hint: "use a header with an id of the conversation",
    });
  } else return name;
  return undefined;
}

const OF_REQUESTS: ReadonlySet<string> = new Set([
  "x-request-id",
  "x-client-request-id",
  "traceparent",
  "content-length",
  "idempotency-key",
]);
