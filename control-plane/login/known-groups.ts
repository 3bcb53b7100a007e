// The groups that something is set for: a token has them before others, because one that is left out restricts nothing.
import type { GatewayModel } from "../../model/model.ts";
import { SignInError } from "../observability/sign-in/identity-provider.ts";

const UNREADABLE = "The groups of this gateway cannot be read. Try again in a moment.";

/**
 * Returns whether a group is one of the configuration, of its settings for agents, or of the admin API.
 * @param isCreated whether the admin API has created a group; it may throw
 */
export function groupsKnownTo(
  { groups = [], login }: Pick<GatewayModel, "groups" | "login">,
  isCreated: (group: string) => boolean,
): (group: string) => boolean {
  const configured = new Set([
    ...groups.map(({ name }) => name),
    ...(login?.groupSettings ?? []).flatMap((entry) => entry.groups),
  ]);
  return (group) => {
    if (configured.has(group)) return true;
    try {
      return isCreated(group);
    } catch (error) {
      throw new SignInError(UNREADABLE, 502, (error as Error).message);
    }
  };
}
