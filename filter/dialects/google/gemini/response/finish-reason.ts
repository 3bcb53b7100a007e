// `finishReason` of a candidate: the words of the Gemini API, of Vertex AI and of google-genai 3.4.0. There is no word for a
// tool call: the client's dialect finds that by the calls.
// @see https://ai.google.dev/api/generate-content#FinishReason
import {
  FINISH_FAULT,
  FINISH_LENGTH,
  FINISH_NONE,
  FINISH_REFUSAL,
  FINISH_STOP,
  FinishWord,
} from "../../../../hub/response/finish-reason";
import { constant } from "../../../../bytes/text/bytes";

export const FINISH_REASONS: StaticArray<FinishWord> = [
  new FinishWord(constant("STOP"), FINISH_STOP),
  new FinishWord(constant("MAX_TOKENS"), FINISH_LENGTH),
  // A long response is cut, and continues with a token that other APIs do not have.
  new FinishWord(constant("CONTINUATION"), FINISH_LENGTH),
  new FinishWord(constant("SAFETY"), FINISH_REFUSAL),
  new FinishWord(constant("RECITATION"), FINISH_REFUSAL),
  new FinishWord(constant("LANGUAGE"), FINISH_REFUSAL),
  new FinishWord(constant("BLOCKLIST"), FINISH_REFUSAL),
  new FinishWord(constant("PROHIBITED_CONTENT"), FINISH_REFUSAL),
  new FinishWord(constant("SPII"), FINISH_REFUSAL),
  new FinishWord(constant("MODEL_ARMOR"), FINISH_REFUSAL),
  new FinishWord(constant("ESCALATION"), FINISH_REFUSAL),
  new FinishWord(constant("PUP_LIMITED_DISABLED"), FINISH_REFUSAL),
  new FinishWord(constant("IMAGE_SAFETY"), FINISH_REFUSAL),
  new FinishWord(constant("IMAGE_PROHIBITED_CONTENT"), FINISH_REFUSAL),
  new FinishWord(constant("IMAGE_RECITATION"), FINISH_REFUSAL),
  new FinishWord(constant("MALFORMED_FUNCTION_CALL"), FINISH_FAULT),
  new FinishWord(constant("MALFORMED_RESPONSE"), FINISH_FAULT),
  new FinishWord(constant("UNEXPECTED_TOOL_CALL"), FINISH_FAULT),
  new FinishWord(constant("TOO_MANY_TOOL_CALLS"), FINISH_FAULT),
  new FinishWord(constant("MISSING_THOUGHT_SIGNATURE"), FINISH_FAULT),
  new FinishWord(constant("IMAGE_OTHER"), FINISH_FAULT),
  new FinishWord(constant("NO_IMAGE"), FINISH_FAULT),
  new FinishWord(constant("OTHER"), FINISH_FAULT),
  new FinishWord(constant("FINISH_REASON_UNSPECIFIED"), FINISH_NONE),
];
