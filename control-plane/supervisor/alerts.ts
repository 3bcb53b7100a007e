// Has events sent when budgets are nearly or wholly spent, if the configuration has `alerts`.
import { join } from "node:path";
import type { BudgetAlerts, BudgetStates } from "../alerts/budget-alerts.ts";
import type { Webhooks, WebhookTarget } from "../alerts/webhooks.ts";
import type { Configuration } from "./configuration-file.ts";
import type { Report } from "./own-log.ts";
import type { Part } from "./part.ts";
import { writePrivately } from "./state.ts";

/** How often what was spent is compared with the budgets. */
const CHECK_MS = 2_000;
const FILE = "alerts.json";

/**
 * Returns the sender. Its modules are loaded for a configuration that needs them.
 * @param directory the state directory
 * @param budgets returns what was spent on each budget
 */
export function createAlertSender(directory: string, budgets: BudgetStates, report: Report): Part {
  let target: WebhookTarget | undefined;
  let running: { webhooks: Webhooks; alerts: BudgetAlerts; timer: NodeJS.Timeout } | undefined;
  const end = () => {
    clearInterval(running?.timer);
    running?.alerts.save();
    running?.webhooks.close();
    running = undefined;
  };
  return {
    async use({ model: { alerts: settings }, environment }) {
      target = settings && targetOf(settings, environment);
      if (target === undefined) {
        end();
        return;
      }
      if (running !== undefined) return;
      const { Webhooks } = await import("../alerts/webhooks.ts");
      const { BudgetAlerts } = await import("../alerts/budget-alerts.ts");
      const webhooks = new Webhooks({ target: () => target, report });
      const alerts = new BudgetAlerts({
        file: join(directory, FILE),
        writeFile: writePrivately,
        budgets,
        send: (event) => webhooks.send(event),
      });
      const timer = setInterval(() => {
        alerts.check();
      }, CHECK_MS).unref();
      running = { webhooks, alerts, timer };
    },
    close: end,
  };
}

function targetOf(
  { url, secretVariable }: NonNullable<Configuration["model"]["alerts"]>,
  environment: Configuration["environment"],
): WebhookTarget | undefined {
  const address = "text" in url ? url.text : environment[url.variable];
  if (address === undefined) return undefined;
  return {
    url: address,
    secret: secretVariable === undefined ? undefined : environment[secretVariable],
  };
}
