// What the request writer supports beyond the hub's common slots.
import { Feature } from "../../../hub/request/feature";
import * as feature from "../../../hub/request/features";

export const SUPPORTED: Feature[] = [
  // Of files that Google can read; the writer rejects others.
  feature.IMAGE_URLS,
  feature.DOCUMENT_URLS,
  feature.IMAGE_DETAIL,
  feature.AUDIO_INPUT,
  feature.VIDEO_INPUT,
  feature.IMAGE_OUTPUT,
  feature.SEVERAL_CHOICES,
  feature.LOGPROBS,
  feature.TOP_LOGPROBS,
  feature.SEED,
  feature.FREQUENCY_PENALTY,
  feature.PRESENCE_PENALTY,
  feature.SERVICE_TIERS,
  // The client's values, in Google's words.
  feature.SAFETY_SETTINGS,
  feature.CACHED_CONTENT,
  feature.LABELS,
  // Not by every model, and beside functions only by some; the writer drops them.
  feature.WEB_SEARCH,
  feature.SPEED,
  feature.CODE_EXECUTION,
  feature.WEB_FETCH,
];
