/** A line of access_content.log, as contract/content-record.ts describes it. */
export interface ContentLine {
  id: string;
  listener: string;
  method: string;
  path: string;
  key?: string;
  key_id?: string;
  group?: string;
  user?: string;
  session?: string;
  headers: [string, string][];
  request: string;
  request_bytes?: number;
  response: string;
  response_cut?: 1;
}
