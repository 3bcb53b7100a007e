// The API of the example: invented exchange rates and weather on 127.0.0.1. It does not depend on the gateway.
import { serve } from "@hono/node-server";
import { Hono } from "hono";

/** The value of one US dollar, invented. */
const RATES: Record<string, number> = { USD: 1, EUR: 0.92, GBP: 0.79, JPY: 149.5, CHF: 0.88 };
const SKIES = ["sunny", "cloudy", "rainy", "windy"] as const;
const MAX_FORECAST_DAYS = 7;

export function exampleApi(): Hono {
  const app = new Hono();
  app.get("/currencies", (context) => context.json({ currencies: Object.keys(RATES) }));
  app.get("/convert/:from/:to", (context) => {
    const { from, to } = context.req.param();
    const [source, target] = [RATES[from], RATES[to]];
    const amount = Number(context.req.query("amount") ?? "1");
    if (source === undefined || target === undefined || !Number.isFinite(amount)) {
      return context.json({ error: "unknown currency or amount" }, 404);
    }
    const result = Math.round((amount / source) * target * 100) / 100;
    return context.json({ amount, from, to, result });
  });
  app.post("/forecast", async (context) => {
    const { city, days = 1 } = await context.req.json<{ city: string; days?: number }>();
    const length = Math.min(Math.max(days, 1), MAX_FORECAST_DAYS);
    const forecast = Array.from({ length }, (_, day) => weatherOf(city, day));
    return context.json({ city, forecast });
  });
  return app;
}

/** Returns the same weather for the same city each time. */
function weatherOf(city: string, day: number) {
  const seed = Buffer.from(city).reduce((sum, byte) => sum + byte, day * 7);
  return { day: day + 1, sky: SKIES[seed % SKIES.length], celsius: (seed % 30) - 2 };
}

/** Starts the API. Resolves with a function that stops it. */
export function startExampleApi(port: number): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: exampleApi().fetch, hostname: "127.0.0.1", port }, () => {
      resolve(() => {
        server.close();
      });
    });
    server.once("error", reject);
  });
}
