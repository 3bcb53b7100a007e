// The prompt targets of the configuration, prepared for the steps: every part that does not depend on a prompt is
// already bytes.
import { RateLimit } from "./rate-limit-rule";
import { ProviderHeader } from "./target";
import { constant, Span } from "../bytes/text/bytes";

export class Parameter {
  name: Span = constant("");
  /** Whether its value is a part of the path. */
  isInPath: bool = false;
  /** Whether a value in the path may contain `/` and `\`. */
  allowsSlashes: bool = false;
  /** The default as JSON; empty without a default. */
  defaultJson: Span = constant("");
  /** The default as plain text: a string without quotes and escapes, anything else as its JSON. */
  defaultText: Span = constant("");
}

/** A piece of a path template: literal bytes, then the value of a parameter. */
export class PathPiece {
  constructor(
    public literal: Span,
    /** Null in the last piece. */
    public parameter: Parameter | null,
    /** Whether the value is in the query. */
    public isInQuery: bool,
  ) {}
}

export class PromptTarget {
  name: Span = constant("");
  cluster: Span = constant("");
  authority: Span = constant("");
  isGet: bool = false;
  path: PathPiece[] = [];
  /** Whether the template has a query. */
  hasQuery: bool = false;
  headers: ProviderHeader[] = [];
  /** Values of environment variables in headers: sent to the API, and masked in its response. */
  secrets: Span[] = [];
  parameters: Parameter[] = [];
  /** The target's definition as a tool, JSON. */
  tool: Span = constant("");
  /** The inside of a JSON string; empty without a system prompt. */
  systemPromptJson: Span = constant("");
  /** Whether it receives the prompts that match no other target, with the conversation. */
  isDefault: bool = false;
  /** Whether the API's text is sent to the language model; otherwise it is the gateway's response. */
  dispatches: bool = true;
  /** Limits of its calls, by prompts and tool calls. */
  rateLimits: RateLimit[] = [];
}

export class PromptConfig {
  /** The inside of a JSON string; empty if no guard is configured. */
  guardMessageJson: Span = constant("");
  guardFailsOpen: bool = false;
  guardsIngress: bool = false;
  guardsEgress: bool = false;
  /** Whether the targets are offered as tools (`mcp.enabled`). */
  hasTools: bool = false;
  /** The configured members of a /zeroshot request, without braces; empty if there is no target to choose. */
  zeroshotMembers: Span = constant("");
  /** The listeners' timeouts: one limit for the whole prompt, from its last byte to the response. */
  timeoutMs: u32 = 0;
  egressTimeoutMs: u32 = 0;
  /** Limits of the targets' calls. */
  rateLimits: RateLimit[] = [];
  targets: PromptTarget[] = [];
  /** Index of the default target, -1 if there is none. */
  defaultTarget: i32 = -1;

  hasGuard(): bool {
    return this.guardMessageJson.length > 0;
  }

  hasCandidates(): bool {
    return this.zeroshotMembers.length > 0;
  }
}
