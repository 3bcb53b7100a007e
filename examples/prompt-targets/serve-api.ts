// The API of the example by itself: in compose.yaml it stands beside the gateway, in the same network.
import { startExampleApi } from "./api.ts";

/** As `endpoints` of gateway.yaml says. */
const PORT = 18_083;

const stop = await startExampleApi(PORT);
console.log(`The API of the example listens on port ${String(PORT)}.`);
process.once("SIGTERM", stop).once("SIGINT", stop);
