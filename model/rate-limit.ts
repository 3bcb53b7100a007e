// A limit of requests or tokens. Plain data.

/** What the requests of some clients for one name may use in a unit of time. */
export interface RateLimit {
  /**
   * What is limited: a model, by whichever name it is requested, an alias, whatever it stands for, a client key by its name,
   * whatever it is used for, or the API of a prompt target (these limits are in `prompt`).
   */
  subject:
    | { /** Index into `targets`. */ target: number }
    | { alias: string }
    | { key: string }
    | { promptTarget: string };
  /** Absent: all requests count together. */
  selector?:
    | "session"
    | "user"
    | {
        /** Request header, lower case. */
        header: string;
        /** The only value that counts. Absent: each value has a separate budget, and so have requests without the header. */
        value?: string;
      };
  counts: "tokens" | "requests";
  /** At most 999,999,999: the filter reads nine digits. */
  amount: number;
  unit: RateUnit;
}

export type RateUnit = "second" | "minute" | "hour" | "day";
