// Which sampling parameters an Anthropic model gets, for every API that has these models.
import { ByteBuffer, constant } from "../../bytes/text/bytes";
import { HubRequest } from "./request";
import { readDecimal } from "./request-number";
import { RequestLimits, RequestReport } from "./request-report";
import { writeValue } from "./request-writing";

export class SamplingPlan {
  hasTemperature: bool = false;
  hasTopP: bool = false;
  hasTopK: bool = false;
  private isCut: bool = false;

  /**
   * The maximum temperature is 1. With thinking only its default is supported, no top_k, and top_p from 0.95; models whose
   * `sampling` is `one` reject temperature and top_p together. What is left out is listed, unless it is the default.
   * @see https://platform.claude.com/docs/en/build-with-claude/extended-thinking#feature-compatibility
   */
  make(request: HubRequest, isThinking: bool, limits: RequestLimits, report: RequestReport): void {
    const tape = request.tape;
    const temperature = readDecimal(tape, request.temperature);
    const topP = readDecimal(tape, request.topP);
    const isFree = limits.supportsTemperature && !isThinking;
    this.hasTemperature = isFree && tape.isPresent(request.temperature);
    this.isCut = this.hasTemperature && temperature > 1;
    const isLost = tape.isPresent(request.temperature) && !isFree && temperature != 1;
    if (this.isCut || isLost) report.drop(constant("temperature"));
    const asksTopP = tape.isPresent(request.topP) && topP != 1;
    this.hasTopP =
      asksTopP &&
      limits.supportsTemperature &&
      (limits.supportsBothSampling || !this.hasTemperature) &&
      !(isThinking && topP < 0.95);
    if (asksTopP && !this.hasTopP) report.drop(constant("top_p"));
    this.hasTopK = isFree && tape.isPresent(request.topK);
    if (!isFree && tape.isPresent(request.topK)) report.drop(constant("top_k"));
  }

  writeTemperature(request: HubRequest, out: ByteBuffer): void {
    if (this.isCut) out.byte(0x31);
    else writeValue(request.tape, request.temperature, out);
  }
}
