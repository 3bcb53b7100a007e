// What the request writer supports beyond the hub's common slots.
import { Feature } from "../../../hub/request/feature";
import * as feature from "../../../hub/request/features";

export const SUPPORTED: Feature[] = [
  feature.AUTOMATIC_CACHING,
  feature.METADATA,
  feature.SERVICE_TIERS,
  feature.THINKING_DISPLAY,
  feature.GUARDRAIL,
  feature.PERFORMANCE,
  feature.MODEL_FIELDS,
  feature.MODEL_RESPONSE_FIELDS,
  feature.REQUEST_METADATA,
  feature.BEDROCK_TIER,
  feature.CITATIONS,
  feature.VIDEO_INPUT,
  feature.TEXT_FILES,
  feature.OFFICE_FILES,
  // Of Nova; the writer drops it for others.
  feature.WEB_SEARCH,
  feature.SPEED,
];
