// The OpenAPI document of the admin API, made from the schemas that its requests are checked with.
import { z } from "zod";
import { endedListSchema, endedSchema, endSchema } from "../../agent-sessions/session-routes.ts";
import {
  createdKeySchema,
  errorSchema,
  groupListSchema,
  groupSchema,
  groupUpdateSchema,
  importedSchema,
  importSchema,
  keyListSchema,
  keySchema,
  keyUpdateSchema,
  listSchema,
  newGroupSchema,
  newKeySchema,
  newUserSchema,
  rotateSchema,
} from "./schemas.ts";

interface Operation {
  path: string;
  method: "get" | "post" | "patch" | "delete";
  id: string;
  summary: string;
  body?: z.ZodType;
  query?: z.ZodObject;
  status: 200 | 201;
  response: z.ZodType;
  /** Of the errors that not all operations have. */
  errors?: readonly number[];
}

const CONFLICTS = [409, 412];

const OPERATIONS: readonly Operation[] = [
  {
    path: "/keys",
    method: "get",
    id: "listKeys",
    summary: "List keys by name, a page at a time.",
    query: listSchema,
    status: 200,
    response: keyListSchema,
  },
  {
    path: "/keys",
    method: "post",
    id: "createKey",
    summary: "Create a key. The response has the key, once.",
    body: newKeySchema,
    status: 201,
    response: createdKeySchema,
    errors: [409],
  },
  {
    path: "/keys/import",
    method: "post",
    id: "importKeys",
    summary: "Create keys and groups that exist elsewhere, by their hashes: all or none.",
    body: importSchema,
    status: 201,
    response: importedSchema,
    errors: [409],
  },
  {
    path: "/keys/{id}",
    method: "get",
    id: "getKey",
    summary: "Return a key, by its id or name.",
    status: 200,
    response: keySchema,
    errors: [404],
  },
  {
    path: "/keys/{id}",
    method: "patch",
    id: "updateKey",
    summary: "Change a key. null removes a member.",
    body: keyUpdateSchema,
    status: 200,
    response: keySchema,
    errors: [404, ...CONFLICTS],
  },
  {
    path: "/keys/{id}",
    method: "delete",
    id: "revokeKey",
    summary: "Revoke a key for good.",
    status: 200,
    response: keySchema,
    errors: [404, ...CONFLICTS],
  },
  {
    path: "/keys/{id}/rotate",
    method: "post",
    id: "rotateKey",
    summary: "Replace the key. The response has the new one, once.",
    body: rotateSchema,
    status: 200,
    response: createdKeySchema,
    errors: [404, ...CONFLICTS],
  },
  ...operationsOf("group", newGroupSchema),
  ...operationsOf("user", newUserSchema),
  {
    path: "/sessions/ended",
    method: "get",
    id: "listEndedSessions",
    summary: "List the sessions of agents that were ended.",
    status: 200,
    response: endedListSchema,
    errors: [404],
  },
  {
    path: "/sessions/{id}/end",
    method: "post",
    id: "endSession",
    summary: "End a session of an agent: its requests are rejected from now on.",
    body: endSchema,
    status: 200,
    response: endedSchema,
    errors: [404],
  },
];

function operationsOf(what: "group" | "user", newSchema: z.ZodType): Operation[] {
  const word = what === "group" ? "Group" : "User";
  const path = `/${what}s`;
  return [
    {
      ...{ path, method: "get", id: `list${word}s`, summary: `List all ${what}s.` },
      ...{ status: 200, response: groupListSchema },
    },
    {
      ...{ path, method: "post", id: `create${word}` },
      summary: what === "group" ? "Create a group." : "Set what a user may use.",
      ...{ body: newSchema, status: 201, response: groupSchema, errors: [409] },
    },
    {
      ...{ path: `${path}/{name}`, method: "get", id: `get${word}`, summary: `Return a ${what}.` },
      ...{ status: 200, response: groupSchema, errors: [404] },
    },
    {
      ...{ path: `${path}/{name}`, method: "patch", id: `update${word}` },
      summary: `Change a ${what}. null removes a member.`,
      ...{ body: groupUpdateSchema, status: 200, response: groupSchema },
      errors: [404, ...CONFLICTS],
    },
    {
      ...{ path: `${path}/{name}`, method: "delete", id: `delete${word}` },
      summary:
        what === "group"
          ? "Delete a group that has no keys."
          : "Remove what is set for a user; keys and tokens of the user stay valid.",
      ...{ status: 200, response: groupSchema, errors: [404, ...CONFLICTS] },
    },
  ];
}

const ERRORS: Readonly<Record<number, string>> = {
  400: "A member has an invalid value; `fields` has its name.",
  401: "The token is missing or wrong.",
  403: "The caller may not do this.",
  404: "It does not exist.",
  409: "The name is used, or the state does not allow the change.",
  412: "It has been changed meanwhile.",
  413: "The body is larger than 1 MiB.",
  503: "The store cannot be used now; nothing was changed.",
};

/** Returns the document. */
export function openApiDocument(version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const one of OPERATIONS) {
    const path = `/api/v1${one.path}`;
    paths[path] = { ...paths[path], [one.method]: operation(one) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Admin API of the gateway",
      version,
      description: "Keys, groups and sessions while the gateway runs.",
    },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Error: jsonSchema(errorSchema) },
    },
  };
}

function operation({
  path,
  id,
  summary,
  body,
  query,
  status,
  response,
  errors = [],
}: Operation): object {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    schema: jsonSchema(schema as z.ZodType),
  }));
  const hasVersion = errors.includes(412)
    ? [
        {
          name: "if-match",
          in: "header",
          schema: { type: "string" },
          description: "The etag of the version that the change is for.",
        },
      ]
    : [];
  const all = [400, 401, 403, ...errors, ...(body === undefined ? [] : [413]), 503];
  return {
    operationId: id,
    summary,
    parameters: [...inPath, ...inQuery, ...hasVersion],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: json(jsonSchema(body)) } }),
    responses: {
      [String(status)]: { description: "Success.", content: json(jsonSchema(response)) },
      ...Object.fromEntries(
        all.map((one) => [
          String(one),
          { description: ERRORS[one] ?? "", content: json({ $ref: "#/components/schemas/Error" }) },
        ]),
      ),
    },
  };
}

function json(schema: object) {
  return { "application/json": { schema } };
}

function jsonSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return rest;
}
