// What a request asks for that not every API of its provider does for the model: read only if that decides the API.
import { EFFORT_NONE, EFFORT_UNSET } from "./request";
import { nearestEffort } from "./request-effort";
import { RequestLimits } from "./request-limits";

export class ApiNeeds {
  /** The client's effort, or what its `thinking` stands for. */
  effort: i32 = EFFORT_UNSET;
  /** Whether the model is offered tools. */
  hasTools: bool = false;
  /** Whether the provider is to search the web. */
  hasSearch: bool = false;
  /** Whether the client sends stop sequences. */
  hasStop: bool = false;

  /** Returns whether the model reasons about this request, if its API lets it. */
  reasons(limits: RequestLimits): bool {
    const effort = limits.knowsEfforts ? nearestEffort(limits.efforts, this.effort) : this.effort;
    return effort == EFFORT_UNSET ? limits.reasonsByDefault : effort > EFFORT_NONE;
  }
}
