// The API of the example by itself, for the other containers of compose.yaml: on port 18083 of all addresses.
import { startExampleApi } from "./api.ts";

const PORT = 18_083;

const stop = await startExampleApi(PORT, "0.0.0.0");
console.log(`The API of the example listens on port ${String(PORT)}.`);
process.once("SIGTERM", stop).once("SIGINT", stop);
