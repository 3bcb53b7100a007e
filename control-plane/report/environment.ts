// Environment variables, as the process and .env hold them.
export type Environment = Readonly<Record<string, string | undefined>>;
