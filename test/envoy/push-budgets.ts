// Limits of budgets, sent to a running Envoy as the control plane does.
import { request } from "node:http";
import { BUDGETS_PATH } from "../../contract/budget-format.ts";
import type { Gateway } from "../gateway/gateway.ts";

/** Sends a body. Returns the response: what each budget has charged. */
export function pushBudgets(
  { budgetsSocketPath: socketPath }: Gateway,
  body: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const to = { socketPath, path: BUDGETS_PATH, method: "POST", agent: false };
    const outgoing = request(to, (incoming) => {
      let text = "";
      incoming.on("data", (bytes: Buffer) => (text += bytes.toString()));
      incoming.on("end", () => {
        resolve({ status: incoming.statusCode ?? 0, text });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
