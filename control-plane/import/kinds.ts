// The gateways whose configurations can be imported.

export const KINDS = ["litellm", "archgw", "plano", "bifrost", "portkey"] as const;
export type Kind = (typeof KINDS)[number];
