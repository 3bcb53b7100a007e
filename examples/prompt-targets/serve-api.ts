// The API of the example alone, for compose.yaml, where it shares the gateway's network.
import { startExampleApi } from "./api.ts";

/** The port in `endpoints` of gateway.yaml. */
const PORT = 18_083;

const stop = await startExampleApi(PORT);
console.log(`The API of the example listens on port ${String(PORT)}.`);
process.once("SIGTERM", stop).once("SIGINT", stop);
