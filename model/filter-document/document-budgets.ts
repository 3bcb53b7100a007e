// The budgets in the filter's document, in the order of their ids.
import { budgetFingerprint, budgetLabel } from "../budgets.ts";
import { takesKeyRows } from "../keys.ts";
import type { GatewayModel } from "../model.ts";
import type { FilterBudget } from "./document-types.ts";

export function filterBudgets({ budgets = [] }: Pick<GatewayModel, "budgets">): FilterBudget[] {
  return budgets
    .map((budget) => ({
      id: budgetFingerprint(budget),
      label: budgetLabel(budget),
      ...(budget.subject === "all" ? {} : budget.subject),
      ...(budget.rejectsUnpriced === true ? { rejects_unpriced: true as const } : {}),
    }))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Whether what responses cost is needed: to charge budgets, or to show it. */
export function needsPrices(model: GatewayModel): boolean {
  const { budgets = [], observability, targetSets = [] } = model;
  return (
    budgets.length > 0 ||
    takesKeyRows(model) ||
    observability?.costHeader === true ||
    targetSets.some(({ balance }) => balance === "cost")
  );
}

/** Whether a usage record is written for each request: for the control plane to show, or to know what budgets have left. */
export function hasUsageRecords({
  budgets = [],
  observability,
  ...rest
}: Pick<GatewayModel, "budgets" | "groups" | "users" | "keys" | "observability">): boolean {
  return budgets.length > 0 || takesKeyRows(rest) || observability !== undefined;
}
