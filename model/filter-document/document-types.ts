// The types of the filter's document, by the declarations of its members (contract/filter-document.ts).
import type * as members from "../../contract/filter-document.ts";
import type { Declared } from "../declared-types.ts";
import type { ModelLimits } from "../model-limits.ts";
import type { ProviderHeader } from "../model.ts";

type Members = typeof members;

/** The objects by the names that declarations use. */
interface DocumentObjects extends Plain {
  Key: string | ObjectOf<"Key">;
  Header: ProviderHeader;
  /** Without those of the connection. */
  Limits: Omit<ModelLimits, "stream_usage" | "responses_api">;
}

type Plain = { [Name in Exclude<NameOf<keyof Members>, "Key" | "Header">]: ObjectOf<Name> };
type NameOf<Constant> = Constant extends `${infer Name}_${string}`
  ? Capitalize<Lowercase<Name>>
  : never;

type ObjectOf<Name extends string> = Declared<
  Members[keyof Members & `${Uppercase<Name>}_${string}`],
  DocumentObjects
>;

export type FilterConfig = ObjectOf<"Document">;
export type FilterTarget = ObjectOf<"Target">;
export type FilterRoute = ObjectOf<"Route">;
export type FilterRateLimit = ObjectOf<"Rate">;
export type FilterBudget = ObjectOf<"Budget">;
export type FilterWildcard = ObjectOf<"Wildcard">;
export type FilterModel = ObjectOf<"Model">;
export type FilterKey = DocumentObjects["Key"];
export type FilterKeys = ObjectOf<"Listeners">;
export type FilterTokens = ObjectOf<"Tokens">;
export type FilterAllowed = ObjectOf<"Allowed">;
export type FilterPolicy = ObjectOf<"Policy">;
export type FilterPrompt = ObjectOf<"Prompt">;
export type FilterParameter = ObjectOf<"Parameter">;
export type PricedModels = ObjectOf<"Priced">;
