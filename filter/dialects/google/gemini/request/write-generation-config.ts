// Writes `generationConfig`: sampling, the length and form of the output, thinking.
// @see https://ai.google.dev/api/generate-content#generationconfig
import { FORMAT_SCHEMA, FORMAT_TEXT } from "../../../../hub/request/request";
import { Feature } from "../../../../hub/request/feature";
import * as feature from "../../../../hub/request/features";
import { writeValue } from "../../../../hub/request/request-writing";
import { readCount } from "../../../../bytes/json/number";
import { constant, Span } from "../../../../bytes/text/bytes";
import { GeminiThinking } from "./write-thinking";

export abstract class GeminiConfig extends GeminiThinking {
  protected writeGenerationConfig(supportsFormat: bool): void {
    const request = this.request;
    const out = this.out;
    const start = out.length;
    out.text(',"generationConfig":{');
    const opened = out.length;
    if (this.tape.isPresent(request.maxTokens)) {
      out.text('"maxOutputTokens":');
      this.fitMaxTokens(out);
    }
    const allowsSampling = this.limits.supportsTemperature;
    const temperature = constant("temperature");
    this.writeLimited(request.temperature, constant('"temperature":'), temperature, allowsSampling);
    this.writeLimited(request.topP, constant('"topP":'), constant("top_p"), allowsSampling);
    this.writeLimited(request.topK, constant('"topK":'), constant("top_k"), allowsSampling);
    this.writeStop();
    this.writeFeature(feature.SEED, constant('"seed":'), constant("seed"));
    this.writeFeature(
      feature.PRESENCE_PENALTY,
      constant('"presencePenalty":'),
      constant("presence_penalty"),
    );
    this.writeFeature(
      feature.FREQUENCY_PENALTY,
      constant('"frequencyPenalty":'),
      constant("frequency_penalty"),
    );
    if (!request.features.isEmpty) this.writeCandidates();
    if (supportsFormat && request.outputFormat != FORMAT_TEXT) this.writeFormat();
    this.writeThinking();
    this.writeModalities();
    if (out.length == opened) out.length = start;
    else out.byte(0x7d);
  }

  /** Writes the client's value, or drops it if the model refuses it. */
  protected writeFeature(asked: Feature, name: Span, path: Span): void {
    const node = this.request.features.node(asked);
    this.writeLimited(node, name, path, !this.limits.isRefused(path));
  }

  /** Writes the number of candidates, and which log probabilities come with them. */
  private writeCandidates(): void {
    const tape = this.tape;
    const features = this.request.features;
    const choices = features.node(feature.SEVERAL_CHOICES);
    const n = constant("n");
    if (tape.isPresent(choices) && this.limits.isRefused(n)) {
      const advice = feature.SEVERAL_CHOICES.adviceText();
      this.report.reject("n", "must be 1: this model supports one choice. " + advice);
      return;
    }
    this.writeFeature(feature.SEVERAL_CHOICES, constant('"candidateCount":'), n);
    this.request.notes.choices = max(readCount(tape, choices), 0);
    this.writeFeature(feature.LOGPROBS, constant('"responseLogprobs":'), constant("logprobs"));
    const top = constant("top_logprobs");
    const isAsked = tape.isTrue(features.node(feature.LOGPROBS)) && !this.limits.isRefused(top);
    this.writeLimited(features.node(feature.TOP_LOGPROBS), constant('"logprobs":'), top, isAsked);
  }

  /** Writes the kinds of output in capitals. */
  private writeModalities(): void {
    const tape = this.tape;
    const list = this.request.features.node(feature.IMAGE_OUTPUT);
    if (!tape.isArray(list) || tape.isEmpty(list)) return;
    this.begin(constant('"responseModalities":['));
    const end = tape.next(list);
    for (let item = tape.first(list); item < end; item = tape.next(item))
      this.begin(tape.equals(item, constant("image")) ? constant('"IMAGE"') : constant('"TEXT"'));
    this.out.byte(0x5d);
  }

  private writeStop(): void {
    const tape = this.tape;
    const out = this.out;
    const stop = this.request.stop;
    const isList = tape.isArray(stop);
    if (!tape.isPresent(stop) || (isList && tape.isEmpty(stop))) return;
    if (!this.limits.supportsStop) {
      this.report.dropForModel(this.report.paths.stop);
      return;
    }
    this.begin(constant('"stopSequences":'));
    if (!isList) out.byte(0x5b);
    writeValue(tape, stop, out);
    if (!isList) out.byte(0x5d);
  }

  private writeFormat(): void {
    const schema = this.request.schema;
    this.begin(constant('"responseMimeType":"application/json"'));
    if (this.request.outputFormat != FORMAT_SCHEMA) return;
    if (this.limits.supportsJsonSchema) {
      this.begin(constant('"responseJsonSchema":'));
      writeValue(this.tape, schema, this.out);
    } else {
      this.begin(constant('"responseSchema":'));
      this.writeOldSchema(schema);
    }
  }
}
