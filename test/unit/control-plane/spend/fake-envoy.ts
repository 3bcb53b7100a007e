// An Envoy's table of budgets, as contract/budget-format.ts describes it, on a unix socket.
import { createServer, type Server } from "node:http";
import type { Limit } from "../../../../control-plane/spend/limits.ts";
import { closeNow, listenAt } from "../../../../control-plane/model-server/unix-socket.ts";

export class FakeEnvoy {
  readonly limits = new Map<string, Limit>();
  readonly charged = new Map<string, number>();
  /** Ids of the budgets of its configuration. */
  ids: string[];
  pushes = 0;
  /** How many limits of keys each push had. */
  readonly pushedOfKeys: number[] = [];
  onPush: () => void = () => undefined;
  #server: Server | undefined;
  readonly #socket: string;

  constructor(socket: string, ids: string[]) {
    this.#socket = socket;
    this.ids = ids;
  }

  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      let text = "";
      request.on("data", (bytes: Buffer) => (text += bytes.toString()));
      request.on("end", () => {
        const { budgets, key_budgets: ofKeys = [] } = JSON.parse(text) as {
          budgets: Limit[];
          key_budgets?: Limit[];
        };
        const isFresh = this.limits.size === 0;
        for (const limit of budgets)
          if (this.ids.includes(limit.id)) this.limits.set(limit.id, limit);
        for (const limit of ofKeys) this.limits.set(limit.id, limit);
        this.pushedOfKeys.push(ofKeys.length);
        this.pushes += 1;
        this.onPush();
        const chargedOf = (id: string) => ({ id, charged: this.charged.get(id) ?? 0 });
        response.end(
          JSON.stringify({
            ...(isFresh ? { fresh: 1 } : {}),
            budgets: this.ids.map(chargedOf),
            key_budgets: ofKeys.map(({ id }) => chargedOf(id)),
          }),
        );
      });
    });
    await listenAt(this.#server, this.#socket);
  }

  /** Charges a budget if its limit allows it. Returns whether it does. */
  charge(id: string, cost: number): boolean {
    const charged = this.charged.get(id) ?? 0;
    if (charged >= (this.limits.get(id)?.limit ?? 0)) return false;
    this.charged.set(id, charged + cost);
    return true;
  }

  async stop(): Promise<void> {
    if (this.#server !== undefined) await closeNow(this.#server);
    this.limits.clear();
    this.charged.clear();
  }
}
