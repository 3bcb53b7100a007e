// The model of an agent's session: one brain, and a face for each wire format.
//
// - A brain is a function: it reads a `Session`, which is what a request says of the conversation, and returns an `Answer`.
//   `scriptedBrain` follows a script of steps: call these tools, search the web, say this. It has no state: the history that the
//   agent sends back decides which step is next, so that a lost call or text shows.
// - A face is a strict fake with the option `brain`: `openai.ts`, `responses.ts`, `gemini.ts`, `converse.ts`, `anthropic.ts` and
//   `open-models.ts` (Mistral, Groq, DeepSeek …). It rejects what the real provider rejects and writes the answer in its format.
// - `session.ts` reads the sessions from the wire formats.
import type { Answer, ToolCall } from "./behaviour.ts";

export interface OfferedTool {
  name: string;
  description: string;
  /** Only the Responses API has namespaces. */
  namespace?: string;
}

/** A call of an earlier turn. */
export interface SessionCall {
  name: string;
  arguments: unknown;
  /** Text of the result that has the call's id; absent if none has it. */
  result?: string;
}

export interface Session {
  /** Texts of the user, in order. */
  asked: string[];
  /** Texts of the model, in order. */
  said: string[];
  calls: SessionCall[];
  /** The images of the whole request in base64, wherever they are. */
  images: string[];
  /** Searches of the provider in earlier turns that came back. */
  searches: number;
  tools: OfferedTool[];
  /** Whether the request offers a search that the provider runs. */
  canSearch: boolean;
}

export type Brain = (session: Session) => Answer;

/** A call of a step: the tool, by its name or by a text of its description, because a gateway may shorten names. */
export interface ScriptedCall {
  tool: string;
  arguments: object;
}

export type Step =
  /** Calls these tools at once; searches before that if the request offers a search. */
  | { calls: ScriptedCall[]; search?: string }
  /** Ends the turn. Each step says another text. */
  | { say: string };

const SEARCH_REQUEST = /^Perform a web search for the query: (.*)/;

/** Returns the brain that follows a script, and says what is missing if a tool is not offered. */
export function scriptedBrain(steps: Step[]): Brain {
  return (session) => {
    // A coding agent's search is a separate request: the words of Claude Code.
    const query = session.asked.map((text) => SEARCH_REQUEST.exec(text)?.[1]).at(-1);
    if (query !== undefined)
      return session.canSearch
        ? { searches: [query], text: `Found a page about ${query}.` }
        : { text: `There is no search here for ${query}.` };
    const [step, index] = nextStep(steps, session);
    const thinking = `Step ${index}: "what" comes next?\n`;
    if (step === undefined) return { thinking, text: "The script is at its end." };
    if ("say" in step) return { thinking, text: step.say };
    const toolCalls: ToolCall[] = [];
    for (const call of step.calls) {
      const tool = toolOf(session.tools, call.tool);
      if (tool === undefined) return { thinking, text: `No tool is ${call.tool}.` };
      const { name, namespace } = tool;
      toolCalls.push({
        name,
        ...(namespace === undefined ? {} : { namespace }),
        arguments: call.arguments,
      });
    }
    const { search } = step;
    const searches = search !== undefined && session.canSearch ? [search] : [];
    return { thinking, toolCalls, searches };
  };
}

function toolOf(tools: OfferedTool[], wanted: string): OfferedTool | undefined {
  const named = tools.find(({ name }) => name === wanted);
  return named ?? tools.find(({ description }) => description.includes(wanted));
}

function nextStep(
  steps: Step[],
  { calls, said }: Session,
): [step: Step | undefined, index: number] {
  let called = 0;
  for (const [index, step] of steps.entries()) {
    if ("say" in step ? !said.includes(step.say) : calls.length < called + step.calls.length)
      return [step, index];
    if ("calls" in step) called += step.calls.length;
  }
  return [undefined, steps.length];
}
