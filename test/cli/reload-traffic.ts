// Clients that keep a gateway busy while something happens to it, and tell what became of every request.
import { Agent, request } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";

export interface Traffic {
  /** How many requests have been answered well so far. */
  answered: () => number;
  /** Ends the clients when their current request is answered; what went wrong with any, in words. */
  stop: () => Promise<string[]>;
}

const PATH = "/v1/chat/completions";
const HEADERS = { "content-type": "application/json" };

function chat(model: string, content: string, stream: boolean): string {
  return JSON.stringify({ model, stream, messages: [{ role: "user", content }] });
}

/** A request over HTTP/1.1 with its whole reply. Rejects when it is cut short. */
export function ask(
  port: number,
  { model = "none", content = "Hello", stream = false, agent }: Asked = {},
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port,
      method: "POST",
      path: PATH,
      headers: HEADERS,
      agent,
    };
    const outgoing = request(options, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (part: string) => (text += part));
      incoming.on("error", reject);
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
}

/** Clients that ask again and again on connections that they keep, one request after the other on each. */
export function keepAsking(port: number, asked: Asked = {}, clients = 4): Traffic {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  return busy(
    clients,
    () => ask(port, { ...asked, agent }),
    () => {
      agent.destroy();
    },
  );
}

/** As `keepAsking`, over HTTP/2: a client opens another connection when the server says that it is closing this one. */
export function keepAskingOverHttp2(port: number, asked: Asked = {}, clients = 4): Traffic {
  const opened: ClientHttp2Session[] = [];
  const open = () => {
    const session = connect(`http://127.0.0.1:${port}`);
    // Its requests fail too, and they are counted.
    session.on("error", () => undefined);
    opened.push(session);
    return session;
  };
  let session = open();
  const askOnce = () => {
    if (session.closed || session.destroyed) session = open();
    return askOverHttp2(session, asked);
  };
  return busy(clients, askOnce, () => {
    for (const one of opened) one.destroy();
  });
}

function askOverHttp2(
  session: ClientHttp2Session,
  { model = "none", content = "Hello", stream = false }: Asked,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = session.request({ ":method": "POST", ":path": PATH, ...HEADERS });
    let text = "";
    let status = 0;
    outgoing.on("response", (headers) => (status = Number(headers[":status"])));
    outgoing.setEncoding("utf8").on("data", (part: string) => (text += part));
    outgoing.on("error", reject);
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

function busy(
  clients: number,
  askOnce: () => Promise<{ status: number; text: string }>,
  end: () => void,
): Traffic {
  let answered = 0;
  let isOver = false;
  const wrong: string[] = [];
  const loop = async () => {
    while (!isOver) {
      try {
        const { status, text } = await askOnce();
        if (status === 200) answered += 1;
        else wrong.push(`${status} ${text}`);
      } catch (error) {
        wrong.push(String(error));
      }
      // A person's machine runs other things too.
      await sleep(2);
    }
  };
  const loops = Array.from({ length: clients }, loop);
  running.add(() => {
    isOver = true;
    end();
  });
  return {
    answered: () => answered,
    async stop() {
      isOver = true;
      await Promise.all(loops);
      end();
      return wrong;
    },
  };
}
