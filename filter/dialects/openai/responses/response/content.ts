// The kinds of text that an item holds: what is around them in the item, and the events that stream them.
// @see https://platform.openai.com/docs/api-reference/responses-streaming
import { constant, Span } from "../../../../bytes/text/bytes";

/** Returns the beginning of an event, up to the end of its type. */
export function eventStart(type: string): Span {
  return constant("event: " + type + '\ndata: {"type":"' + type + '"');
}

const CONTENT_INDEX = constant(',"content_index":');
const PART_ADDED = eventStart("response.content_part.added");
const PART_DONE = eventStart("response.content_part.done");
const NOTHING = constant("");
const END = constant('"}\n\n');
const STRING_END = constant('"}');

@unmanaged
export class Content {
  constructor(
    /** A part of the item, before and after its text. Empty for a call, whose text is a member of the item. */
    public open: Span,
    public close: Span,
    /** The name of the part's index in the events; empty as before. */
    public index: Span,
    public partAdded: Span,
    public partDone: Span,
    public delta: Span,
    public done: Span,
    /** The name of the whole text in `done`. */
    public member: Span,
    /** What is after the text in `delta` and `done`, to the end of the event. */
    public end: Span,
  ) {}
}

export const TEXT = new Content(
  constant('{"type":"output_text","text":"'),
  constant('","annotations":[],"logprobs":[]}'),
  CONTENT_INDEX,
  PART_ADDED,
  PART_DONE,
  eventStart("response.output_text.delta"),
  eventStart("response.output_text.done"),
  constant(',"text":"'),
  constant('","logprobs":[]}\n\n'),
);

export const REFUSAL = new Content(
  constant('{"type":"refusal","refusal":"'),
  STRING_END,
  CONTENT_INDEX,
  PART_ADDED,
  PART_DONE,
  eventStart("response.refusal.delta"),
  eventStart("response.refusal.done"),
  constant(',"refusal":"'),
  END,
);

export const SUMMARY = new Content(
  constant('{"type":"summary_text","text":"'),
  STRING_END,
  constant(',"summary_index":'),
  eventStart("response.reasoning_summary_part.added"),
  eventStart("response.reasoning_summary_part.done"),
  eventStart("response.reasoning_summary_text.delta"),
  eventStart("response.reasoning_summary_text.done"),
  constant(',"text":"'),
  END,
);

export const ARGUMENTS = new Content(
  NOTHING,
  NOTHING,
  NOTHING,
  NOTHING,
  NOTHING,
  eventStart("response.function_call_arguments.delta"),
  eventStart("response.function_call_arguments.done"),
  constant(',"arguments":"'),
  END,
);

export const INPUT = new Content(
  NOTHING,
  NOTHING,
  NOTHING,
  NOTHING,
  NOTHING,
  eventStart("response.custom_tool_call_input.delta"),
  eventStart("response.custom_tool_call_input.done"),
  constant(',"input":"'),
  END,
);
