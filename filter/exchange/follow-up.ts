// What asks for another attempt where the beginning of a response is an error.
import { Fault } from "../hub/faults/fault";

export abstract class FollowUp {
  /** Requests another attempt after this error. Returns false if none follows. */
  abstract follows(fault: Fault): bool;
}
