// `users`: what all requests of a user may use together, with any key and token.
import { type Group, isUserName, ROW_TEXT_EXPECTED } from "../../../model/keys.ts";
import { allowanceKeys, readAllowance } from "../allowance.ts";
import { mapping, named } from "../schema-words.ts";
import { section } from "../section.ts";

const schema = named(
  mapping(
    allowanceKeys({
      models: "The only models that the user may use. If not set, those of the key or token.",
      ratelimits: "Limits of all requests of the user together.",
      budget:
        "How much money the requests of the user may cost together in a period: a budget or a list of them.",
    }),
    "One user.",
  ),
  "Users by name ([more](keys.md#users)): the owner of keys, the claim of tokens, the person who has logged in. Further ones can be set while the gateway runs.",
);

export const users = section({
  key: "users",
  schema,
  read({ reading }, written) {
    if (written === undefined) return {};
    const read = Object.entries(written).flatMap(([name, user]): Group[] => {
      const path = ["users", name];
      if (!isUserName(name)) {
        reading.problem(path, `${reading.show(path, name)} cannot be the name of a user`, {
          part: "key",
          hint: `use ${ROW_TEXT_EXPECTED}, without commas, such as ann@example.com`,
        });
        return [];
      }
      return [{ name, ...readAllowance(reading, path, user ?? {}, name) }];
    });
    return read.length === 0 ? {} : { users: read };
  },
});
