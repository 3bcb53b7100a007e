// Cache marks as blocks of their own behind the block that the client has marked.
// @see https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
import {
  FAMILY_CLAUDE,
  RequestLimits,
  RequestReport,
} from "../../../../hub/request/request-report";
import { contains } from "../../../../bytes/text/find";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";

/** Points of a request. */
const MAX_POINTS: i32 = 4;

export class CachePoints {
  private count: i32 = 0;
  private isSupported: bool = false;
  private isClaude: bool = false;

  reset(limits: RequestLimits): void {
    this.count = 0;
    this.isSupported = limits.supportsCacheControl;
    this.isClaude = limits.family == FAMILY_CLAUDE;
  }

  /** Writes the mark (`cache_control` as JSON, or nothing) of the block before it; drops `path` if there are too many. */
  write(mark: usize, length: u32, path: Span, out: ByteBuffer, report: RequestReport): void {
    if (length == 0) return;
    if (!this.isSupported) {
      report.dropForModel(path);
    } else if (this.count == MAX_POINTS) {
      report.drop(path);
    } else {
      this.count++;
      out.span(
        this.isClaude && contains(mark, length, constant('"1h"'))
          ? constant(',{"cachePoint":{"type":"default","ttl":"1h"}}')
          : constant(',{"cachePoint":{"type":"default"}}'),
      );
    }
  }

  /** As `write`, behind a tool: only Claude has marks there. */
  writeForTool(mark: usize, length: u32, out: ByteBuffer, report: RequestReport): void {
    const path = report.paths.toolCache;
    if (length > 0 && !this.isClaude) report.dropForModel(path);
    else this.write(mark, length, path, out, report);
  }
}
