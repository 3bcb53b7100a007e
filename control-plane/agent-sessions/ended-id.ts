// What was ended, as one text: the session, and after a blank the only client key whose session it is. No session has a blank.
export interface EndedSubject {
  session: string;
  /** Absent: of all keys, and of requests without one. */
  key?: string;
}

export function idOf({ session, key }: EndedSubject): string {
  return key === undefined ? session : `${session} ${key}`;
}

export function subjectOf(id: string): EndedSubject {
  const at = id.indexOf(" ");
  return at < 0 ? { session: id } : { session: id.slice(0, at), key: id.slice(at + 1) };
}
