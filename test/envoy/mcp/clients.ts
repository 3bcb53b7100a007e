// The official MCP clients: the SDK's first generation, and its second with the protocols of 2025 and of 2026.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

export interface ListedTool {
  name: string;
  description?: string;
  inputSchema: Record<string, unknown>;
  annotations?: Record<string, unknown>;
}

export interface Called {
  text: string;
  structured: unknown;
  isError: boolean;
}

export interface McpClient {
  list(): Promise<ListedTool[]>;
  /** Rejects with an error of the protocol. */
  call(name: string, values?: Record<string, unknown>, signal?: AbortSignal): Promise<Called>;
  protocol(): string | undefined;
  close(): Promise<void>;
}

type Connect = (url: string, headers?: Record<string, string>) => Promise<McpClient>;

const IDENTITY = { name: "test", version: "1.0.0" };

const first: Connect = async (url, headers = {}) => {
  const client = new FirstClient(IDENTITY);
  const transport = new FirstTransport(new URL(url), { requestInit: { headers } });
  // Its types predate exactOptionalPropertyTypes.
  await client.connect(transport);
  return {
    list: async () => (await client.listTools()).tools,
    call: async (name, values = {}, signal) =>
      called(
        await client.callTool(
          { name, arguments: values },
          undefined,
          signal === undefined ? {} : { signal },
        ),
      ),
    protocol: () => transport.protocolVersion,
    close: () => client.close(),
  };
};

const second =
  (mode: "legacy" | { pin: string }): Connect =>
  async (url, headers = {}) => {
    const client = new Client(IDENTITY, { versionNegotiation: { mode } });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
    );
    return {
      list: async () => (await client.listTools()).tools,
      call: async (name, values = {}, signal) =>
        called(
          await client.callTool(
            { name, arguments: values },
            signal === undefined ? {} : { signal },
          ),
        ),
      protocol: () => client.getNegotiatedProtocolVersion(),
      close: () => client.close(),
    };
  };

export const CLIENTS: { name: string; connect: Connect; protocol: string }[] = [
  { name: "SDK 1", connect: first, protocol: "2025-11-25" },
  { name: "SDK 2, protocol of 2025", connect: second("legacy"), protocol: "2025-11-25" },
  {
    name: "SDK 2, protocol of 2026",
    connect: second({ pin: "2026-07-28" }),
    protocol: "2026-07-28",
  },
];

/** The client of tests that do not depend on it. */
export const connect: Connect = first;

function called(result: object): Called {
  const { content, structuredContent, isError } = result as {
    content: { type: string; text: string }[];
    structuredContent?: unknown;
    isError?: boolean;
  };
  return {
    text: content.map(({ text }) => text).join("\n"),
    structured: structuredContent,
    isError: isError === true,
  };
}
