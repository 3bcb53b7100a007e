// A budget of money (contract/budget-format.ts): what the requests of a key, of a model or of all may cost in a period.

export class Budget {
  /** Whether it has a value of its own in the shared data, because the configuration does not have it: of keys, groups and users. */
  isSeparate: bool = false;

  constructor(
    /** Identifies it across reloads. Never 0. */
    public id: u64,
    /** For messages: `50 USD a month of key research`. */
    public label: string,
    /** Whether it rejects requests for a model without a price. */
    public rejectsUnpriced: bool,
  ) {}
}
