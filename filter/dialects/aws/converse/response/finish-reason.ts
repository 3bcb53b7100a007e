// `stopReason` of a response.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
import {
  FINISH_CONTEXT,
  FINISH_FAULT,
  FINISH_LENGTH,
  FINISH_REFUSAL,
  FINISH_STOP,
  FINISH_STOP_SEQUENCE,
  FINISH_TOOLS,
  FinishWord,
} from "../../../../hub/response/finish-reason";
import { constant } from "../../../../bytes/text/bytes";

export const STOP_REASONS: StaticArray<FinishWord> = [
  new FinishWord(constant("end_turn"), FINISH_STOP),
  new FinishWord(constant("stop_sequence"), FINISH_STOP_SEQUENCE),
  new FinishWord(constant("max_tokens"), FINISH_LENGTH),
  new FinishWord(constant("tool_use"), FINISH_TOOLS),
  new FinishWord(constant("guardrail_intervened"), FINISH_REFUSAL),
  new FinishWord(constant("content_filtered"), FINISH_REFUSAL),
  new FinishWord(constant("model_context_window_exceeded"), FINISH_CONTEXT),
  new FinishWord(constant("malformed_model_output"), FINISH_FAULT),
  new FinishWord(constant("malformed_tool_use"), FINISH_FAULT),
];
