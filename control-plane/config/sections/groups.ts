// `groups`: what all keys of a group may use together.
import { type Group, KEY_NAME } from "../../../model/keys.ts";
import { allowanceKeys, readAllowance } from "../allowance.ts";
import { mapping, named } from "../schema-words.ts";
import { section } from "../section.ts";

const schema = named(
  mapping(
    allowanceKeys({
      models:
        "The only models that keys of the group may be used for, if the key has no list. If not set, all models.",
      ratelimits: "Limits of all requests with keys of the group together.",
      budget:
        "How much money the requests with keys of the group may cost together in a period: a budget or a list of them.",
    }),
    "One group.",
  ),
  "Groups of keys by name ([more](keys.md#groups)). `keys.create` and `listeners.<name>.api_keys` name them; further groups can be created while the gateway runs.",
);

export const groups = section({
  key: "groups",
  schema,
  read({ reading }, written) {
    if (written === undefined) return {};
    const read = Object.entries(written).flatMap(([name, group]): Group[] => {
      const path = ["groups", name];
      if (!KEY_NAME.test(name)) {
        reading.problem(path, `${reading.show(path, name)} cannot be the name of a group`, {
          part: "key",
          hint: "use up to 64 letters, digits, _, - and ., such as research",
        });
        return [];
      }
      return [{ name, ...readAllowance(reading, path, group ?? {}, name) }];
    });
    return read.length === 0 ? {} : { groups: read };
  },
});
