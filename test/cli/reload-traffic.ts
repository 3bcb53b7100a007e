// Clients that keep a gateway busy while something happens to it, and tell what became of every request.
import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";

export interface Traffic {
  /** How many requests have been answered well so far. */
  answered: () => number;
  /** Ends the clients when their current request is answered; what went wrong with any, in words. */
  stop: () => Promise<string[]>;
  /** Requests that were sent again, as `retriesUnprocessed` asks for. */
  retried: () => Retried[];
}

/** A request whose connection ended before any byte of a response, or whose stream was refused. */
export interface Retried {
  /** Its `x-request-id`, by which a provider is asked whether it has seen the request. */
  id: string;
  why: string;
}

const PATH = "/v1/chat/completions";
const HEADERS = { "content-type": "application/json" };

function chat(model: string, content: string, stream: boolean): string {
  return JSON.stringify({ model, stream, messages: [{ role: "user", content }] });
}

/** A request over HTTP/1.1 with its whole response. Rejects when it is cut short. */
export function ask(
  port: number,
  { model = "none", content = "Hello", stream = false, agent, id }: Asked = {},
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port,
      method: "POST",
      path: PATH,
      headers: headersOf(id),
      agent,
    };
    const outgoing = request(options, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (part: string) => (text += part));
      incoming.on("error", (error) => {
        reject(new Error("the reply was cut", { cause: error }));
      });
      incoming.on("end", () => {
        resolve({ status: incoming.statusCode ?? 0, text });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(chat(model, content, stream));
  });
}

export interface Asked {
  model?: string;
  content?: string;
  stream?: boolean;
  agent?: Agent;
  /** `x-request-id`. */
  id?: string | undefined;
}

export interface Clients {
  count?: number;
  /** Whether a request is sent again where HTTP says that it was not processed, as SDKs do. */
  retriesUnprocessed?: boolean;
}

function headersOf(id: string | undefined): Record<string, string> {
  return id === undefined ? HEADERS : { ...HEADERS, "x-request-id": id };
}

/** Clients that ask again and again on connections that they keep, one request after the other on each. */
export function keepAsking(port: number, asked: Asked = {}, clients: Clients = {}): Traffic {
  const agent = new Agent({ keepAlive: true, maxSockets: clients.count ?? CLIENTS });
  return busy(
    clients,
    (id) => ask(port, { ...asked, agent, id }),
    () => {
      agent.destroy();
    },
  );
}

/** As `keepAsking`, over HTTP/2: a client opens another connection when the server says that it is closing this one. */
export function keepAskingOverHttp2(
  port: number,
  asked: Asked = {},
  clients: Clients = {},
): Traffic {
  const opened: ClientHttp2Session[] = [];
  const open = () => {
    const session = connect(`http://127.0.0.1:${port}`);
    // Its requests fail too, and they are counted.
    session.on("error", () => undefined);
    opened.push(session);
    return session;
  };
  let session = open();
  const askOnce = (id: string) => {
    if (session.closed || session.destroyed) session = open();
    return askOverHttp2(session, { ...asked, id });
  };
  return busy(clients, askOnce, () => {
    for (const one of opened) one.destroy();
  });
}

function askOverHttp2(
  session: ClientHttp2Session,
  { model = "none", content = "Hello", stream = false, id }: Asked,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = session.request({ ":method": "POST", ":path": PATH, ...headersOf(id) });
    let text = "";
    let status = 0;
    outgoing.on("response", (headers) => (status = Number(headers[":status"])));
    outgoing.setEncoding("utf8").on("data", (part: string) => (text += part));
    outgoing.on("error", (error: Error) => {
      reject(status === 0 ? error : new Error("the reply was cut", { cause: error }));
    });
    outgoing.on("end", () => {
      resolve({ status, text });
    });
    outgoing.end(chat(model, content, stream));
  });
}

/** Ends every client, also of a test that failed. */
export function stopAllTraffic(): void {
  for (const stop of running) stop();
  running.clear();
}

const running = new Set<() => void>();

const CLIENTS = 4;
/** More attempts than this at one request mean that something else is wrong. */
const MAX_ATTEMPTS = 20;

function busy(
  { count = CLIENTS, retriesUnprocessed = false }: Clients,
  askOnce: (id: string) => Promise<{ status: number; text: string }>,
  end: () => void,
): Traffic {
  let answered = 0;
  let isOver = false;
  const wrong: string[] = [];
  const retried: Retried[] = [];
  const attempt = async (attempts = 1): Promise<{ status: number; text: string }> => {
    const id = randomUUID();
    try {
      return await askOnce(id);
    } catch (error) {
      if (!retriesUnprocessed || !isUnprocessed(error) || attempts === MAX_ATTEMPTS) throw error;
      retried.push({ id, why: String(error) });
      return attempt(attempts + 1);
    }
  };
  const loop = async () => {
    while (!isOver) {
      try {
        const { status, text } = await attempt();
        if (status === 200) answered += 1;
        else wrong.push(`${status} ${text}`);
      } catch (error) {
        wrong.push(String(error));
      }
      // Ten clients have a request on its way at any time all the same, and the processors are left to the gateway.
      await sleep(10);
    }
  };
  const loops = Array.from({ length: count }, loop);
  running.add(() => {
    isOver = true;
    end();
  });
  return {
    answered: () => answered,
    retried: () => retried,
    async stop() {
      isOver = true;
      await Promise.all(loops);
      end();
      return wrong;
    },
  };
}

/** No connection; one that ended before a byte of the response (Node gives these errors a code only then). */
const WITHOUT_RESPONSE = ["ECONNREFUSED", "ECONNRESET", "EPIPE"];
/** A stream of HTTP/2 that the server, or the client's own library after a GOAWAY, has not begun (RFC 9113, section 8.7). */
const NOT_BEGUN = [
  "ERR_HTTP2_GOAWAY_SESSION",
  "ERR_HTTP2_INVALID_SESSION",
  "ERR_HTTP2_STREAM_CANCEL",
];

/** Whether a request may be sent again, although it is a POST (RFC 9110, section 9.2.2): its test shows that it was not processed. */
function isUnprocessed(error: unknown): boolean {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (code === "ERR_HTTP2_STREAM_ERROR") return message.includes("NGHTTP2_REFUSED_STREAM");
  return [...WITHOUT_RESPONSE, ...NOT_BEGUN].includes(code);
}
