// AWS signatures by the real Envoy: what a provider that checks them accepts, in every road that a request can take.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Gateway } from "../../gateway/gateway.ts";
import { startGateway } from "../../gateway/gateway.ts";
import { signatureFault } from "../../providers/aws-signature.ts";
import type { DialectName } from "../ask.ts";
import { ask, errorOf } from "../ask.ts";
import type {
  ScriptedProvider,
  Script,
  ReceivedRequest,
} from "../../providers/scripted-provider.ts";
import { complete, startProvider } from "../../providers/scripted-provider.ts";

const KEYS = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: "session/token+of=the-test",
};
const ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
  AWS_SESSION_TOKEN: KEYS.sessionToken,
  OPENAI_API_KEY: "sk-other-provider",
};
const MEBIBYTE = 1_048_576;
const LIMIT = 4 * MEBIBYTE;
const REGION = "eu-central-1";
const SCOPE = { region: REGION, service: "bedrock" };

/** Paths below which the models are: the name of the model is one segment of a path. */
const PATHS = [
  "/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0",
  "/model/anthropic.claude-sonnet-4-5-20250929-v1:0",
  "/model/arn%3Aaws%3Abedrock%3Aeu-central-1%3A123456789012%3Aapplication-inference-profile%2Fabc",
  "/model/arn:aws:bedrock:eu-central-1:123456789012:inference-profile%2Feu.claude",
  "/model/a+b%20c;d%40e",
];

let aws: ScriptedProvider;
let other: ScriptedProvider;
let behaveAws: Script;
let behaveOther: Script;

const fail =
  (status: number): Script =>
  (response) => {
    response.writeHead(status).end();
  };
/** Fails so often, and completes after that. */
function failing(times: number, status = 503): Script {
  let left = times;
  return (response, request) =>
    left-- > 0 ? fail(status)(response, request) : complete(response, request);
}

beforeAll(async () => {
  aws = await startProvider((response, request) => behaveAws(response, request));
  other = await startProvider((response, request) => behaveOther(response, request));
});
afterAll(() => Promise.all([aws.stop(), other.stop()]));
beforeEach(() => {
  behaveAws = complete;
  behaveOther = complete;
  aws.requests.length = 0;
  other.requests.length = 0;
});

function configuration(credential = `{type: aws, region: ${REGION}}`): string {
  const signed = (model: string, path: string, more = "") => `
  - model: openai/${model}
    base_url: http://127.0.0.1:${aws.port}${path}
    credential: ${credential}
${more}`;
  return `
version: v0.1.0
limits: {request_body: ${LIMIT}}
llm_providers:${signed("signed", "/v1")}${signed("twice", "/v1", "    retry: {attempts: 3}\n")}${signed(
    "falls-back",
    "/v1",
    "    fallbacks: [openai/plain]\n",
  )}${PATHS.map((path, index) => signed(`path-${index}`, path)).join("")}
  - name: guarded
    model: bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0
    base_url: http://127.0.0.1:${aws.port}
    region: ${REGION}
    credential: ${credential}
    guardrail: { id: gr1a2b3c4d5e, version: 1, trace: enabled }
    performance: optimized
  - model: openai/plain
    base_url: http://127.0.0.1:${other.port}/v1
    access_key: $OPENAI_API_KEY
  - model: openai/from-plain
    base_url: http://127.0.0.1:${other.port}/v1
    access_key: $OPENAI_API_KEY
    fallbacks: [openai/signed]
`;
}

const CLIENT = {
  authorization: "Bearer the-clients-own",
  "x-amz-date": "20200101T000000Z",
  "x-amz-security-token": "the-clients-own",
  "x-amz-content-sha256": "the-clients-own",
  "x-amz-target": "the-clients-own",
};

async function expectSigned(requests: readonly ReceivedRequest[], count = 1): Promise<void> {
  expect(requests).toHaveLength(count);
  for (const request of requests) {
    expect(await signatureFault(request, KEYS, SCOPE)).toBeUndefined();
    expect(JSON.stringify(request.rawHeaders)).not.toContain("the-clients-own");
  }
}

describe("with credentials in the environment", () => {
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await startGateway({ config: configuration(), environment: ENVIRONMENT });
  });
  afterAll(() => gateway.stop());

  it.each(["chat", "messages", "responses"] as const)(
    "a request of a %s client is signed with its body",
    async (dialect) => {
      const response = await ask(gateway, dialect, { model: "signed", headers: CLIENT });
      expect(response.status).toBe(200);
      await expectSigned(aws.requests);
    },
  );

  it("the headers of a guardrail are signed with a request to Claude", async () => {
    await ask(gateway, "messages", { model: "guarded" });
    await expectSigned(aws.requests);
    const [request] = aws.requests;
    expect(request?.headers).toMatchObject({
      "x-amzn-bedrock-guardrailidentifier": "gr1a2b3c4d5e",
      "x-amzn-bedrock-guardrailversion": "1",
      "x-amzn-bedrock-performanceconfig-latency": "optimized",
      "x-amzn-bedrock-trace": "ENABLED",
    });
    for (const name of ["guardrailidentifier", "guardrailversion", "trace"])
      expect(request?.headers["authorization"]).toContain(`;x-amzn-bedrock-${name}`);
  });

  it.each(PATHS.map((path, index) => [path, `path-${index}`]))(
    "the path %s is signed as it is sent",
    async (path, model) => {
      expect((await ask(gateway, "chat", { model })).status).toBe(200);
      await expectSigned(aws.requests);
      expect(aws.requests[0]?.path).toBe(`${path}/chat/completions`);
    },
  );

  it.each([MEBIBYTE, LIMIT - 1])(
    "a body of %i bytes is signed with credentials in the environment",
    async (size) => {
      for (const model of ["signed", "falls-back"]) {
        aws.requests.length = 0;
        const empty = JSON.stringify({ model, messages: [{ role: "user", content: "" }] }).length;
        const response = await ask(gateway, "chat", { model, text: "a".repeat(size - empty) });
        expect(response.status).toBe(200);
        await expectSigned(aws.requests);
      }
    },
  );

  it("each retry is signed again", async () => {
    behaveAws = failing(2);
    expect((await ask(gateway, "chat", { model: "twice", headers: CLIENT })).status).toBe(200);
    await expectSigned(aws.requests, 3);
  });

  it("a fallback of another provider gets nothing of the signature", async () => {
    behaveAws = fail(503);
    const response = await ask(gateway, "chat", { model: "falls-back", headers: CLIENT });
    expect(response.status).toBe(200);
    await expectSigned(aws.requests);
    const headers = other.requests[0]?.headers ?? {};
    expect(headers["authorization"]).toBe("Bearer sk-other-provider");
    expect(Object.keys(headers).filter((name) => name.startsWith("x-amz-"))).toEqual([]);
    expect(JSON.stringify(headers)).not.toContain("AWS4");
  });

  it("a signed fallback gets nothing of the first provider's key", async () => {
    behaveOther = fail(503);
    const response = await ask(gateway, "chat", { model: "from-plain", headers: CLIENT });
    expect(response.status).toBe(200);
    await expectSigned(aws.requests);
    expect(JSON.stringify(aws.requests)).not.toContain("sk-other-provider");
  });

  it.each(["chat", "messages", "responses"] as const)(
    "a signature that AWS rejects is the gateway's fault for a %s client",
    async (dialect) => {
      behaveAws = (response) => {
        const type = "ExpiredTokenException:http://internal.amazon.com/coral/com.amazon.coral/";
        const headers = { "content-type": "application/json", "x-amzn-errortype": type };
        response.writeHead(403, headers).end('{"message":"The security token is expired."}');
      };
      const response = await ask(gateway, dialect, { model: "signed" });
      expect(response.status).toBe(502);
      expect((await errorOf(response, dialect)).message).toContain(
        "rejected the gateway's signature (ExpiredTokenException)",
      );
    },
  );

  it("another provider gets no header of a signature that the client has sent", async () => {
    await ask(gateway, "chat", { model: "plain", headers: CLIENT });
    expect(JSON.stringify(other.requests)).not.toContain("the-clients-own");
  });
});

describe("without credentials", () => {
  let gateway: Gateway;

  beforeAll(async () => {
    const config = configuration("{type: aws, region: eu-central-1, source: environment}");
    const names = { AWS_ACCESS_KEY_ID: "x", AWS_SECRET_ACCESS_KEY: "x" };
    gateway = await startGateway({
      config,
      environment: { ...names, OPENAI_API_KEY: "sk-other-provider" },
      envoyEnvironment: { OPENAI_API_KEY: "sk-other-provider" },
    });
  });
  afterAll(() => gateway.stop());

  it.each(
    (["chat", "messages", "responses"] as const).flatMap((dialect: DialectName) =>
      ["signed", "twice"].map((model) => [dialect, model] as const),
    ),
  )("a %s client gets 503 for '%s', and the provider nothing", async (dialect, model) => {
    for (const stream of [false, true]) {
      const response = await ask(gateway, dialect, { model, stream });
      expect(response.status).toBe(503);
      const { message } = await errorOf(response, dialect);
      expect(message).toContain(`no valid credential for the provider of 'openai/${model}'`);
      expect(message).toContain("gateway status");
    }
    expect(aws.requests).toEqual([]);
  });
});
