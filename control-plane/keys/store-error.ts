// Why a change of keys or groups was not made, in words for whoever asked for it.

const STATUSES = {
  /** A member has a value that it cannot have. */
  invalid: 400,
  forbidden: 403,
  not_found: 404,
  /** The name is used, or the group has keys. */
  conflict: 409,
  /** Another change came first. */
  changed: 412,
  /** The store cannot be used now; nothing was changed. */
  unavailable: 503,
} as const;

export type StoreErrorKind = keyof typeof STATUSES;

export interface Field {
  field: string;
  message: string;
}

export class StoreError extends Error {
  readonly kind: StoreErrorKind;
  readonly fields: readonly Field[];

  constructor(kind: StoreErrorKind, message: string, fields: readonly Field[] = []) {
    super(message);
    this.kind = kind;
    this.fields = fields;
  }

  get status(): (typeof STATUSES)[StoreErrorKind] {
    return STATUSES[this.kind];
  }
}
