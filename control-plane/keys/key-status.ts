// What a key's state is called.
export const STATUSES = ["active", "disabled", "expired", "revoked"] as const;
export type KeyStatus = (typeof STATUSES)[number];
