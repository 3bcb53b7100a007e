// Creates keys until it is killed, and prints the name of each that is confirmed.
import { Keys } from "../../../../control-plane/keys/key-service.ts";
import { modelOf } from "./key-desk.ts";

const keys = new Keys({ directory: process.argv[2] ?? "", report: () => undefined });
await keys.use({ model: modelOf("keys: {}\n"), environment: {} });
for (let at = 0; ; at++) {
  await keys.create({ name: `key-${String(at)}` }, "test");
  process.stdout.write(`key-${String(at)}\n`);
}
