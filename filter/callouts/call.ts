// A call that a stage or a link sends to a cluster, through the internal listener, which logs it.
import { ProviderHeader } from "../config/target";
import { constant, Span } from "../bytes/text/bytes";

export const GET = constant("GET");
export const POST = constant("POST");
const NOTHING = new Span(0, 0);
const NO_HEADERS: ProviderHeader[] = [];

/** Only at module level: whoever sends one fills it again for each exchange. Its spans must stay valid until it is sent. */
export class Call {
  method: Span = POST;
  cluster: Span = NOTHING;
  authority: Span = NOTHING;
  path: Span = NOTHING;
  headers: ProviderHeader[] = NO_HEADERS;
  /** JSON; empty for GET. */
  body: Span = new Span(0, 0);
  timeoutMs: u32 = 0;

  constructor(
    /** The name of its span in a trace. */
    public name: Span,
  ) {}
}
