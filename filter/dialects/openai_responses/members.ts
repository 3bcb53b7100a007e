// The members of a Responses request: which slot of the hub each one holds, or which feature it asks for.
import { Feature } from "../../hub/feature";
import { MemberTable, object } from "../../hub/member-table";
import * as slot from "../../hub/slots";

export const SUPPORTED: Feature[] = [];

export const request = new MemberTable(
  "",
  "",
  object("The request", "https://platform.openai.com/docs/api-reference/responses/create"),
);
export const MODEL = request.slot("model", slot.MODEL);
