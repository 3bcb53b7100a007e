// THE list of what happens to a provider's response, from the wire to the client. Each row looks at the head (and may change
// it) and returns its link, or null if this response does not need it; most need none, and pass untouched. The bytes go
// through the links in this order, until one holds them. run.ts runs them.
import { Exchange } from "../exchange/exchange";
import { Content } from "../exchange/content-capture";
import { Link } from "../exchange/link";
import { ResponseMetadata } from "../exchange/response-metadata";
import { addGuards } from "./links/guard-texts";
import { convertCount } from "./links/convert-count";
import { holdError } from "./links/hold-error";
import { insertMetadata } from "./links/metadata";
import { readEvents } from "./links/read-events";
import { readWhole } from "./links/read-whole";
import { rejectPage } from "./links/reject-page";
import { translate } from "./links/translate";
import { holdFirstEvent } from "./links/unwrap-frames";
import { captureBytes } from "./body";

type Row = (exchange: Exchange) => Link | null;

/** Before these, `startUnwrapping` (links/unwrap-frames.ts) makes a cloud's frames an ordinary stream, and its head that of one. */
const ROWS: StaticArray<Row> = [
  convertCount, // a count of tokens in another form
  readEvents, // of the client's dialect: first token, usage, end; takes out the chunk that the client has not asked for
  holdFirstEvent, // an error before the first event becomes the status, unless another attempt follows
  rejectPage, // an HTML page is an error
  readWhole, // of the client's dialect: half a response is an error; first token, usage, cost
  translate, // reader (provider) → hub events → writer (client); usage, cost, dropped members
];

/** Plans the links of a response whose head was read last. */
export function plan(exchange: Exchange): void {
  const response = exchange.response;
  // An error is whole before anything is decided about it, and nothing else happens to it.
  if (response.status >= 400) {
    response.add(holdError(exchange));
    addGuards(exchange);
    return;
  }
  for (let i = 0; i < ROWS.length; i++) {
    const link = unchecked(ROWS[i])(exchange);
    if (link !== null) response.add(link);
  }
  // The client's texts, whoever has read and written them.
  addGuards(exchange);
}

/**
 * What is left to do with bytes that leave for the client, whoever wrote them and in whichever context: a member of the gateway's
 * comes in, and the content log keeps them. Here a store or a cache would keep them too.
 */
export function finishBytes(exchange: Exchange): void {
  const metadata: ResponseMetadata | null = exchange.metadata;
  if (metadata !== null) insertMetadata(metadata);
  const content: Content | null = exchange.content;
  if (content !== null && !content.isGuarded) captureBytes(content);
}
