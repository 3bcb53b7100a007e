// The prompt targets of the configuration, as the flow needs them: everything that never changes is bytes already.
import { ProviderHeader } from "./target";
import { Span } from "../bytes/text/bytes";

export class Parameter {
  name: Span = new Span(0, 0);
  /** Substituted into the path. */
  isInPath: bool = false;
  /** Whether a value in the path may hold `/` and `\`. */
  allowsSlashes: bool = false;
  /** The default as JSON; empty when there is none. */
  defaultJson: Span = new Span(0, 0);
}

export class PromptTarget {
  name: Span = new Span(0, 0);
  cluster: Span = new Span(0, 0);
  authority: Span = new Span(0, 0);
  isGet: bool = false;
  /** With `{parameter}` placeholders, perhaps with a query. */
  path: Span = new Span(0, 0);
  headers: ProviderHeader[] = [];
  /** Values of variables in headers: what the API is sent and nobody else may see. */
  secrets: Span[] = [];
  parameters: Parameter[] = [];
  /** Its definition as a tool, JSON. */
  tool: Span = new Span(0, 0);
  /** The inside of a JSON string; empty when there is none. */
  systemPromptJson: Span = new Span(0, 0);
  /** Takes the prompts that match no other target, and gets the conversation. */
  isDefault: bool = false;
  /** Whether its answer goes to the language model, or is the answer itself. */
  dispatches: bool = true;
}

export class PromptConfig {
  /** The inside of a JSON string; empty when no guard is configured. */
  guardMessageJson: Span = new Span(0, 0);
  guardFailsOpen: bool = false;
  /** The configured members of a /zeroshot request, without braces. */
  zeroshotMembers: Span = new Span(0, 0);
  /** The listener's timeout: one limit on the whole prompt, from its last byte to the answer. */
  timeoutMs: u32 = 0;
  targets: PromptTarget[] = [];
  /** Index of the target for prompts that fit no other, -1 when there is none. */
  defaultTarget: i32 = -1;

  hasGuard(): bool {
    return this.guardMessageJson.length > 0;
  }
}
