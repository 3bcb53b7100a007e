// The sessions that people have ended, of one kind: logins of coding agents, of the page, or sessions of agents. They are in a private
// file of the state directory, so that a restart brings none back, in Envoy, which rejects their requests, and with `redis` at every
// gateway. Each kind has a bound: many of one make the gateway forget none of another.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EnvoySessions, EnvoySessionsOptions } from "../login/push-sessions.ts";
import type { SharedKind, SharedSessions } from "../login/shared-sessions.ts";
import { hasUsageRecords } from "../../model/filter-document/document-budgets.ts";
import type { GatewayModel } from "../../model/model.ts";
import { EndedSessions } from "../observability/sign-in/page-session.ts";
import { findCaFile } from "./machine-settings.ts";
import type { Report } from "./own-log.ts";
import type { Part } from "./part.ts";
import { writePrivately } from "./state.ts";

/** How long an Envoy that starts waits for them, and a logout for Envoy and Redis. */
const FIRST_MS = 10_000;
const PUSH_MS = 1_000;

/** By id: when it may be forgotten, in seconds since 1970. */
type Ends = Record<string, number>;

/** What distinguishes the kinds. */
export interface EndsKind extends SharedKind {
  /** In the state directory. */
  file: string;
  /** Whether Envoy gets them. */
  isSent: (model: GatewayModel) => boolean;
  /** Whether gateways with one Redis share them. */
  isShared: (model: GatewayModel) => boolean;
  /** Loads what sends them to an Envoy. */
  sender: (socket: string, ended: EndedSessions) => Promise<EnvoySessionsOptions["send"]>;
}

const LOGINS: EndsKind = {
  ...{ file: "ended-sessions.json", place: "sessions", what: "Logouts" },
  withoutRedis:
    "a logout counts at the gateway that gets it, and at the others as soon as Redis is back",
  isSent: ({ login }) => login !== undefined,
  isShared: ({ login }) => login !== undefined,
  sender: async (socket) => (await import("../login/push-sessions.ts")).loginsTo(socket),
};

/** Sessions of the page, which the gateway itself reads. */
export const PAGE_SESSIONS: EndsKind = {
  ...{ file: "ended-page-sessions.json", place: "page-sessions", what: "Sign-outs of the page" },
  withoutRedis:
    "a sign-out counts at the gateway that gets it, and at the others as soon as Redis is back",
  isSent: () => false,
  isShared: ({ observability }) => observability?.metrics.signIn !== undefined,
  sender: () => Promise.reject(new Error("Envoy gets no sessions of the page")),
};

/** Sessions of agents: rejected by Envoy where requests have usage records, and so a session. */
export const AGENT_SESSIONS: EndsKind = {
  ...{ file: "ended-agent-sessions.json", place: "agent-sessions", what: "Ended sessions" },
  withoutRedis:
    "a session that is ended is rejected by the gateway that ended it, and by the others as soon as Redis is back",
  isSent: hasUsageRecords,
  isShared: hasUsageRecords,
  sender: async (socket, ended) =>
    (await import("../agent-sessions/push-ends.ts")).endsTo(socket, ended),
};

export interface SessionEnds extends Required<Part> {
  ended: EndedSessions;
  /** Resolves when what has ended counts here and, if Redis responds, at the other gateways; at the latest after a second. */
  delivered: () => Promise<void>;
}

/** @param onReadiness called when `missing` or `note` may have changed */
export function createSessionEnds(
  directory: string,
  report: Report,
  onReadiness: () => void,
  kind: EndsKind = LOGINS,
): SessionEnds {
  /** Of the Envoys that run; undefined: the configuration does not need them. */
  const envoys = new Map<string, EnvoySessions | undefined>();
  let model: GatewayModel | undefined;
  let shared: { plan: string; sessions: SharedSessions } | undefined;
  let work = Promise.resolve<undefined>(undefined);
  const ended = openEndedSessions(
    directory,
    report,
    (ids) => {
      const pushes = [...envoys.values()].map((envoy) => envoy?.push(ids));
      work = Promise.all([work, ...pushes, shared?.sessions.write()]).then(() => undefined);
    },
    kind,
  );
  const isSent = () => model !== undefined && kind.isSent(model);

  /** Ends the pushes to an Envoy that runs. */
  const stop = (socket: string) => {
    envoys.get(socket)?.close();
    envoys.set(socket, undefined);
  };

  const start = async (socket: string) => {
    const { EnvoySessions } = await import("../login/push-sessions.ts");
    const send = await kind.sender(socket, ended);
    if (!envoys.has(socket) || !isSent()) return;
    const what = `ended ${kind.place}`;
    const envoy = new EnvoySessions({ send, what, all: () => ended.all.keys(), report });
    envoys.get(socket)?.close();
    envoys.set(socket, envoy);
    await Promise.race([envoy.push(), sleep(FIRST_MS, undefined, { ref: false })]);
  };

  const share = async (
    next: GatewayModel,
    environment: Readonly<Record<string, string | undefined>>,
  ) => {
    const settings = kind.isShared(next) ? next.redis : undefined;
    const plan = JSON.stringify([settings, settings && environment]);
    if (shared?.plan === plan) return;
    await shared?.sessions.close();
    shared = undefined;
    if (settings === undefined) return;
    const file = findCaFile(environment);
    const authorities = file === undefined ? undefined : readFileSync(file, "utf8");
    const { SharedSessions } = await import("../login/shared-sessions.ts");
    const sessions = new SharedSessions({
      ...{ kind, settings, environment, authorities, ended, report },
      onProblem: onReadiness,
    });
    shared = { plan, sessions };
    await sessions.start();
  };

  const problem = () => shared?.sessions.problem;
  const denies = () => model?.redis?.onFailure === "deny";

  return {
    ended,
    async delivered() {
      await Promise.race([work, sleep(PUSH_MS, undefined, { ref: false })]);
    },
    async use({ model: next, environment }) {
      const wasSent = isSent();
      model = next;
      await share(next, environment);
      // A reload may have added what needs them, and its Envoy listens for pushes soon; or removed it, and Envoy may no longer listen.
      for (const socket of envoys.keys()) {
        if (!isSent()) stop(socket);
        else if (!wasSent) void start(socket);
      }
    },
    async attach(socket) {
      stop(socket);
      if (isSent()) await start(socket);
    },
    detach(socket) {
      envoys.get(socket)?.close();
      envoys.delete(socket);
    },
    missing: () => (denies() ? problem() : undefined),
    note: () => (denies() ? undefined : problem()),
    async close() {
      for (const envoy of envoys.values()) envoy?.close();
      envoys.clear();
      await shared?.sessions.close();
      shared = undefined;
    },
  };
}

/**
 * Returns those of the state directory. A file that cannot be read or written is reported, and what ends still counts until a restart.
 * @param onChange receives the ids of those that are new
 */
export function openEndedSessions(
  directory: string,
  report: Report,
  onChange: (ids: readonly string[]) => void = () => undefined,
  { file: name, what }: Pick<EndsKind, "file" | "what"> = LOGINS,
): EndedSessions {
  const file = join(directory, name);
  const ended = new EndedSessions(read(file, what, report), (ids) => {
    try {
      writePrivately(file, JSON.stringify(Object.fromEntries(ended.all)));
    } catch (error) {
      const reason = (error as Error).message;
      report(
        `A restart would forget ${what.toLowerCase()}: ${file} cannot be written (${reason}).`,
        "warning",
      );
    }
    onChange(ids);
  });
  return ended;
}

function read(file: string, what: string, report: Report): [string, number][] {
  try {
    const ends = JSON.parse(readFileSync(file, "utf8")) as Ends;
    return Object.entries(ends);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    const reason = (error as Error).message;
    report(
      `${what} before the start are forgotten: ${file} cannot be read (${reason}).`,
      "warning",
    );
    return [];
  }
}
