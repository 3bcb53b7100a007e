// Leads a prompt through the release filter with the model server, up to the request that a target's API would get.
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { GatewayError } from "../../report/gateway-error.ts";
import { filterConfig } from "../../../model/filter-document/write-document.ts";
import type { GatewayModel } from "../../../model/model.ts";
import type { Prompt } from "../../../model/prompts.ts";
import { bodyText, errorReply, PromptCalls, values } from "../../explain/prompt-calls.ts";
import type { PromptDecisions } from "../../explain/prompt-calls.ts";
import { FilterHost } from "../../wasm-host/filter-host.ts";
import { FAILURES } from "../../wasm-host/upstream.ts";

export interface Trial extends PromptDecisions {
  prompt: string;
  /** What the user is asked for. */
  question?: string;
  /** The parameter whose value is not allowed in a URL. */
  wrong?: string;
}

const extractionRequest = z.looseObject({
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })),
});
const completion = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string() }) })).min(1),
  metadata: z
    .looseObject({ prompt_target: z.looseObject({ name: z.string(), arguments: values }) })
    .optional(),
});
/** Of a question: what is known so far. */
const extractionReply = z.looseObject({
  metadata: z
    .looseObject({ target: z.string().optional(), arguments: values.optional() })
    .default({}),
});

/** Returns a function that tries one prompt after the other. Its APIs and models are never called. */
export async function openTrial(
  { model, prompt }: { model: GatewayModel; prompt: Prompt },
  { socketPath, filterFile }: { /** of the model server */ socketPath: string; filterFile: string },
): Promise<(text: string) => Promise<Trial>> {
  const host = await FilterHost.load(await readFile(filterFile), {
    filterConfig: filterConfig(withoutAccess(model, prompt)),
    environment: Object.fromEntries(model.filterEnvironment.map((name) => [name, `$${name}`])),
    logLevel: "error",
  });
  const defaultTarget = prompt.targets.find(({ isDefault }) => isDefault)?.name;
  return async (text) => {
    const calls = new PromptCalls(prompt, socketPath);
    let goesToModel = false;
    const { response, trap } = await host.exchangeAsync({
      listener: "ingress",
      request: {
        method: "POST",
        path: "/v1/chat/completions",
        headers: [["content-type", "application/json"]],
        body: Buffer.from(
          JSON.stringify({ model: "none", messages: [{ role: "user", content: text }] }),
        ),
      },
      upstream: () => {
        goesToModel = true;
        return FAILURES.connectionRefused;
      },
      calls: (call) => calls.respond(call),
    });
    if (trap !== undefined) throw new GatewayError(`The filter failed: ${trap}`);
    const body = bodyText(response.body);
    return trialOf(text, calls, {
      status: response.status,
      body,
      goesToModel,
      defaultTarget,
    });
  };
}

/** A target's text is the gateway's response, which names the target; no key and no rate limit stops the prompt. */
function withoutAccess(model: GatewayModel, prompt: Prompt): GatewayModel {
  const { rateLimits: _limits, rateLimitService: _service, budgets: _budgets, ...open } = model;
  const { apiKeys: _keys, ...ingress } = model.ingress;
  const { rateLimits: _callLimits, ...rest } = prompt;
  const targets = prompt.targets.map((target) => ({ ...target, dispatches: false }));
  return { ...open, ingress, prompt: { ...rest, targets } };
}

/** How the prompt ended. */
interface Outcome {
  status: number;
  body: string;
  goesToModel: boolean;
  defaultTarget: string | undefined;
}

/** Reads off the trial what the filter asked, and what it responded with. */
function trialOf(text: string, calls: PromptCalls, response: Outcome): Trial {
  const trial: Trial = { prompt: text, ...calls.decisions() };
  if (trial.guard?.refuses === true) return trial;
  if (trial.request !== undefined) return withTarget(trial, response);
  const extraction = calls.callOf("/v1/chat/completions");
  if (response.goesToModel) return { ...trial, target: null };
  if (extraction !== undefined && response.status === 200) {
    const { tools } = extractionRequest.parse(JSON.parse(extraction.sent));
    const { metadata } = extractionReply.parse(JSON.parse(extraction.reply));
    trial.target ??= metadata.target ?? tools[0]?.function.name ?? null;
    if (metadata.arguments !== undefined) trial.arguments ??= metadata.arguments;
    trial.question = completion.parse(JSON.parse(response.body)).choices[0]?.message.content ?? "";
    return trial;
  }
  const { message } = errorReply.parse(JSON.parse(response.body)).error;
  const [, wrong] = /^The value of '([^']+)'/.exec(message) ?? [];
  if (wrong === undefined)
    throw new GatewayError(`The gateway would reject the prompt: ${message}`);
  return { ...trial, wrong };
}

/** The gateway's response names the target whose API it called. */
function withTarget(trial: Trial, { body, defaultTarget }: Outcome): Trial {
  const called = completion.parse(JSON.parse(body)).metadata?.prompt_target;
  if (called === undefined) throw new GatewayError("The filter called an API without a target.");
  const { name: target, arguments: found } = called;
  const decision = target === defaultTarget ? "default" : trial.decision;
  return { ...trial, decision, target, arguments: found };
}
