// The configuration of the prompt tests: a target for each thing that an API or a value can do.
import { CLOSED_PORT } from "../../providers/scripts/failures-by-model.ts";

export const GUARD_MESSAGE = 'I cannot "help" with that.\nÄsk again.';
export const API_SECRET = "api-secret-4711";

export interface Ports {
  api: number;
  /** Accepts connections and sends nothing: no TLS handshake completes. */
  mute: number;
}

const simple = (name: string, path: string, more = ""): string =>
  `  - {name: ${name}, description: ${name}, endpoint: {name: api, path: "${path}"}${more}}\n`;

/** Returns a target with a parameter of every type. */
const typed = (method: string): string => `\
  - name: typed_${method}
    description: All types
    parameters:
${["str", "int", "float", "bool", "list", "dict"].map((type) => `      - {name: ${type}, description: ${type}, type: ${type}, required: true}\n`).join("")}\
    endpoint: {name: api, path: "/typed/{int}/{bool}", http_method: ${method}}
`;

/** Returns the lines of YAML that follow the providers' in a gateway's configuration. */
export function configuration({ api, mute }: Ports): string {
  return `
prompt_targets:
  - name: weather
    description: The weather
    system_prompt: "Be a \\"weather\\" person."
    parameters:
      - {name: city, description: city, required: true, in_path: true}
      - {name: days, description: days, type: int, default: 3}
      - {name: note, description: note}
    endpoint:
      name: api
      path: /weather/{city}/now?units=metric
      http_headers: {authorization: Bearer $API_SECRET, accept: text/weather}
  - name: file
    description: A file
    parameters:
      - {name: page, description: page, required: true, in_path: true, allow_slashes: true}
    endpoint: {name: api, path: "/files/{page}/raw"}
  - name: book
    description: Books
    parameters:
      - {name: guests, description: guests, type: int, required: true}
      - {name: note, description: note}
      - {name: outside, description: outside, type: bool, default: false}
    endpoint: {name: api, path: /book, http_method: POST}
    auto_llm_dispatch_on_response: false
${["GET", "POST"].map(typed).join("")}\
${["echo", "echo_to_model"].map((name) => `  - {name: ${name}, description: ${name}, auto_llm_dispatch_on_response: ${String(name !== "echo")}, endpoint: {name: api, path: /echo, http_headers: {authorization: Bearer $API_SECRET}}}\n`).join("")}\
  - {name: acted, description: acted, endpoint: {name: api, path: /close, http_method: POST}}
  - {name: noted, description: noted, endpoint: {name: api, path: /noted, http_method: POST}}
  - {name: handshake, description: handshake, endpoint: {name: mute}}
  - name: find
    description: Find
    parameters:
      - {name: words, description: words, required: true}
      - {name: page, description: page}
    endpoint: {name: api, path: "/find?q={words}&in=all"}
${simple("plain", "/plain?a=b")}${simple("keyed", "/keyed?appkey=S3CRET&a=b")}${simple("quoted", "/text", ", auto_llm_dispatch_on_response: false")}\
${simple("bytes", "/bytes", ", auto_llm_dispatch_on_response: false")}\
${[404, 500, 302, 204].map((status) => simple(`s${status}`, `/status/${status}`)).join("")}\
${["json", "cut", "text", "lie"].map((what) => simple(`gzip_${what}`, `/gzip/${what}`)).join("")}\
${["largest", "big", "hang", "silent", "close", "broken", "endless"].map((name) => simple(name, `/${name}`)).join("")}\
  - {name: refused, description: refused, endpoint: {name: closed}}
  - {name: nowhere, description: nowhere, endpoint: {name: unknown}}
endpoints:
  unknown: {endpoint: no-such-host.invalid}
  mute: {endpoint: "127.0.0.1:${mute}", protocol: https, connect_timeout: 300ms}
  api: {endpoint: "127.0.0.1:${api}"}
  closed: {endpoint: "127.0.0.1:${CLOSED_PORT}"}
prompt_guards: {input_guards: {jailbreak: {on_exception: {message: ${JSON.stringify(GUARD_MESSAGE)}}}}}
`;
}
