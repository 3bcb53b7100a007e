// What the writer of a response has to know of its request: written by the client's dialect while it reads the request, and
// kept until the response has ended. Most requests need none of it.
import { ByteBuffer } from "../../bytes/text/bytes";
import { ClientTools } from "./client-tools";

export const NO_SEARCH: i32 = 0;
/** Each query is charged (Gemini 3), or the request, however many queries it has (before). @see https://ai.google.dev/gemini-api/docs/pricing */
export const SEARCH_BY_QUERY: i32 = 1;
export const SEARCH_BY_REQUEST: i32 = 2;

export class RequestNotes {
  tools: ClientTools = new ClientTools();
  /** Members of the request that the response repeats (Responses): the inside of a JSON object, may be empty. */
  echo: ByteBuffer = new ByteBuffer();

  /** How many choices the client has asked for, if that is more than one; else 0. */
  choices: i64 = 0;

  /** Whether the tools came as `functions` of chat completions, whose response has one call without an id. */
  hasFunctions: bool = false;

  /** SEARCH_: whether Gemini may search, and what it charges; a response then has which sources stand for which text. */
  search: i32 = NO_SEARCH;

  get isEmpty(): bool {
    return (
      this.tools.isEmpty &&
      this.echo.length == 0 &&
      this.choices == 0 &&
      !this.hasFunctions &&
      this.search == NO_SEARCH
    );
  }

  clear(): void {
    this.tools.clear();
    this.echo.clear();
    this.choices = 0;
    this.hasFunctions = false;
    this.search = NO_SEARCH;
  }

  release(): void {
    this.tools.release();
    this.echo.release();
  }
}

/** Of requests without any. */
export const NO_NOTES = new RequestNotes();
