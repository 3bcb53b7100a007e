// The members by which providers of open models turn thinking on and off: OpenAI's API has none, only efforts.
import {
  SWITCH_ENABLE_THINKING,
  SWITCH_NONE,
  SWITCH_REASONING,
  SWITCH_THINKING,
} from "../../../../hub/request/request-limits";
import { constant, Span } from "../../../../bytes/text/bytes";

const NOTHING = constant("");

/** Returns the name of the member of a switch (SWITCH_). */
export function switchName(kind: i32): Span {
  if (kind == SWITCH_NONE) return NOTHING;
  if (kind == SWITCH_THINKING) return constant("thinking");
  if (kind == SWITCH_ENABLE_THINKING) return constant("enable_thinking");
  return kind == SWITCH_REASONING ? constant("reasoning") : constant("chat_template_kwargs");
}

/** Returns the value of that member, as JSON. */
export function switchValue(kind: i32, isOn: bool): Span {
  if (kind == SWITCH_THINKING)
    return isOn ? constant('{"type":"enabled"}') : constant('{"type":"disabled"}');
  if (kind == SWITCH_ENABLE_THINKING) return isOn ? constant("true") : constant("false");
  if (kind == SWITCH_REASONING)
    return isOn ? constant('{"enabled":true}') : constant('{"enabled":false}');
  return isOn ? constant('{"enable_thinking":true}') : constant('{"enable_thinking":false}');
}
