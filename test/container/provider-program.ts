// A fake of OpenAI in a container of its own: `node provider-program.ts <key>`, on port 9000 of all addresses.
import { startOpenaiProvider } from "../providers/openai.ts";

const PORT = 9000;

const [, , key = ""] = process.argv;
await startOpenaiProvider({ key, models: ["gpt-4o"], host: "0.0.0.0", port: PORT });
console.log("The provider listens.");
