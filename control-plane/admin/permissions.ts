// What a role may do on the admin listener, by method and path: the first row that fits decides.
import type { Actor, Role } from "./actor.ts";

interface Permission {
  /** Absent: any. */
  method?: RegExp;
  path: RegExp;
  /** Undefined: everybody who has signed in. */
  role: Role | undefined;
}

const READING = /^(?:GET|HEAD)$/;

const PERMISSIONS: readonly Permission[] = [
  { path: /^\/(?:assets\/|favicon)/, role: undefined },
  { path: /^\/(?:keys|sign-out|api\/me|api\/spend|api\/budgets)$/, role: undefined },
  // Of sessions, people see theirs (page/page-sessions.ts).
  { method: READING, path: /^\/(?:api\/)?sessions(?:\/|$)/, role: undefined },
  // Of keys and groups, people see and change what is theirs (own-keys.ts).
  { path: /^\/api\/v1\/openapi\.json$/, role: undefined },
  { path: /^\/api\/v1\/keys\/import$/, role: "admin" },
  { path: /^\/api\/v1\/keys(?:\/|$)/, role: undefined },
  { method: READING, path: /^\/api\/v1\/groups(?:\/|$)/, role: undefined },
  { method: READING, path: /^\/api\/v1\/users(?:\/|$)/, role: "operator" },
  { path: /^\/api\/v1\/sessions\//, role: "operator" },
  { path: /^\/api\/v1\//, role: "admin" },
  // A request's story may have its texts.
  { path: /^\/(?:api\/)?(?:requests\/|playground)/, role: "operator" },
  { method: READING, path: /^\//, role: "viewer" },
  { path: /^\//, role: "operator" },
];

/** Each role has what the ones after it have. */
const IMPLIED: Readonly<Record<Role, readonly Role[]>> = {
  admin: ["admin", "operator", "viewer"],
  operator: ["operator", "viewer"],
  viewer: ["viewer"],
};

/** Returns the role that a request needs; undefined if any will do. */
export function neededRole(method: string, path: string): Role | undefined {
  return PERMISSIONS.find(
    (row) => row.path.test(path) && (row.method === undefined || row.method.test(method)),
  )?.role;
}

export function hasRole({ roles }: Pick<Actor, "roles">, role: Role | undefined): boolean {
  return role === undefined || roles.some((own) => IMPLIED[own].includes(role));
}
