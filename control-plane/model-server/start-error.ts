// An error that prevents the start of the model server: what failed, and what to do about it.
export class StartError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, { hint }: { hint?: string } = {}) {
    super(message);
    this.name = "StartError";
    this.hint = hint;
  }
}
