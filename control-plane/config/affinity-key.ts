// The key `affinity`: at the top level in `sessions`, of a model and of an alias.
import { oneOf } from "./schema-words.ts";

export const affinityKey = oneOf(["on", "off"], {
  description:
    "`on`: the turns of a session use the same model of several `targets`, and the same key of several, as long as it works, so that they find the provider's prompt cache. `off`: each request is sent by weight, its key in turn ([more](sessions.md#affinity)).",
  default: "on",
});
