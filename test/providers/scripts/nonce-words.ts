// What client and provider of the soak agree on.

/** Text deltas of a response, each with the nonce of its request and its own number. */
export const DELTAS = 5;
/** Between two events of a slow stream. */
export const PACE_MS = 20;

export const NONCE = /nonce:([0-9a-f]+);/;
export const FAULT = /\[fault (\w+)\]/;

/** `error`: 500. `reset`: before the headers. `cut`: in the middle of the body. `slow`: no fault, but a pause after each event. */
export type Fault = "error" | "reset" | "cut" | "slow";
