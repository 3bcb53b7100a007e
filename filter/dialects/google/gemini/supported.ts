// What the request writer supports beyond the hub's common slots.
import { Feature } from "../../../hub/request/feature";
import * as feature from "../../../hub/request/features";

export const SUPPORTED: Feature[] = [
  // Of files that Google can read; the writer rejects others.
  feature.IMAGE_URLS,
  feature.SEED,
  feature.FREQUENCY_PENALTY,
  feature.PRESENCE_PENALTY,
];
