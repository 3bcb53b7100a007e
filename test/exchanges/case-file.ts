// The text of a case: a comment, the name of its configuration, and its messages in the order in which they are sent. The
// rules are in README.md.

/** Messages as written, each with the line break that ends it. */
export interface CaseFile {
  /** Its first lines: what the case shows. */
  comment: string;
  /** Name of a file in `config/`. */
  config: string;
  clientRequest: Buffer;
  /** By attempt. */
  providerRequests: Buffer[];
  /** By attempt. */
  providerResponses: Buffer[];
  /** Absent in a new case, until UPDATE_GOLDEN writes it. */
  clientResponse: Buffer | undefined;
}

const HEADING =
  /^(>> client request|>> provider request|<< provider response|<< client response)(?: (\d+))?\n/m;
const PREAMBLE = /^((?:# .+\n)+)(?:config: ([a-z0-9-]+)\n)?\n$/;
const DEFAULT_CONFIG = "default";

export function parseCaseFile(file: string, bytes: Buffer): CaseFile {
  const [preamble = "", ...parts] = bytes.toString("latin1").split(HEADING);
  const [, comment, config = DEFAULT_CONFIG] = PREAMBLE.exec(preamble) ?? [];
  if (comment === undefined)
    throw new Error(`${file}: a case begins with "# title", "config: name" and an empty line`);
  const messages = new Map<string, Buffer[]>();
  for (let at = 0; at < parts.length; at += 3) {
    const [heading = "", attempt = "1", text = ""] = parts.slice(at, at + 3);
    const isLast = at + 3 === parts.length;
    if (!text.endsWith(isLast ? "\n" : "\n\n"))
      throw new Error(`${file}: an empty line is missing after the message of "${heading}"`);
    const sameKind = messages.get(heading) ?? [];
    sameKind.push(Buffer.from(isLast ? text : text.slice(0, -1), "latin1"));
    if (sameKind.length !== Number(attempt))
      throw new Error(`${file}: "${heading}" ${sameKind.length} has the number ${attempt}`);
    messages.set(heading, sameKind);
  }
  const of = (heading: string): Buffer[] => messages.get(heading) ?? [];
  const [clientRequest] = of(">> client request");
  if (clientRequest === undefined) throw new Error(`${file} has no ">> client request"`);
  return {
    comment,
    config,
    clientRequest,
    providerRequests: of(">> provider request"),
    providerResponses: of("<< provider response"),
    clientResponse: of("<< client response")[0],
  };
}

export function formatCaseFile(file: CaseFile): Buffer {
  const { comment, config, clientRequest, providerRequests, providerResponses } = file;
  const sections = [section(">> client request", clientRequest)];
  const attempts = Math.max(providerRequests.length, providerResponses.length);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const number = attempts > 1 ? ` ${attempt + 1}` : "";
    sections.push(
      section(`>> provider request${number}`, providerRequests[attempt]),
      section(`<< provider response${number}`, providerResponses[attempt]),
    );
  }
  sections.push(section("<< client response", file.clientResponse));
  const preamble = comment + (config === DEFAULT_CONFIG ? "" : `config: ${config}\n`);
  const texts = [preamble, ...sections.filter((text) => text !== "")];
  return Buffer.from(texts.join("\n"), "latin1");
}

function section(heading: string, message: Buffer | undefined): string {
  if (message === undefined) return "";
  const text = message.toString("latin1");
  const end = text.indexOf("\n\n") + 1;
  const isWithoutBody = text.slice(end) === "\n\n";
  return `${heading}\n${isWithoutBody ? text.slice(0, end) : text}`;
}
