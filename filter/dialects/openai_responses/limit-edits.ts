// Fits a Responses body that keeps its dialect to what the target's model supports.
import { NO_NODE } from "../../bytes/json/tape";
import { Span } from "../../bytes/text/bytes";
import { LimitEdits } from "../limit-edits";
import { request } from "./members";

export class OpenaiResponsesLimitEdits extends LimitEdits {
  constructor() {
    super(request);
  }

  protected plan(): void {}

  protected schemaOf(): u32 {
    return NO_NODE;
  }

  protected isDropped(_key: u32): bool {
    return false;
  }

  protected change(_key: u32): bool {
    return false;
  }

  protected finish(systemText: Span): Span {
    return systemText;
  }
}
