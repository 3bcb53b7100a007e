// A small MCP server on stdin and stdout with tools whose names are long. The first argument is a file that gets a line of JSON for
// each call.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , file = ""] = process.argv;
/** Equal up to their end: what cuts them makes one of them. */
const NAMES = ["celsius", "kelvin"].map(
  (unit) => `temperature_of_the_room_with_this_number_in_the_building_in_${unit}`,
);
const TOOLS = NAMES.map((name, index) => ({
  name,
  description: `Reads instrument ${index}.`,
  inputSchema: {
    type: "object",
    properties: { room: { type: "integer", description: "Number of the room" } },
    required: ["room"],
  },
}));

interface Message {
  id?: number | string;
  method?: string;
  params?: { protocolVersion?: string; name?: string; arguments?: { room?: number } };
}

function resultOf({ method, params = {} }: Message): object {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "local-tools", version: "1.0.0" },
      };
    case "tools/list":
      return { tools: TOOLS };
    case "tools/call": {
      const { name = "", arguments: values = {} } = params;
      appendFileSync(file, `${JSON.stringify({ name, room: values.room })}\n`);
      const text = `Instrument ${NAMES.indexOf(name)} of room ${String(values.room)} says 20.`;
      return { content: [{ type: "text", text }] };
    }
    default:
      return {};
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line) as Message;
  if (message.id === undefined) return;
  const response = { jsonrpc: "2.0", id: message.id, result: resultOf(message) };
  process.stdout.write(`${JSON.stringify(response)}\n`);
});
