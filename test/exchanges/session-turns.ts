// Sessions of agents of chat completions, side by side, which differ in what they are asked and what their tools return.

/** Different words for each seed. */
const words = (seed: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${seed}${index % 97}`).join(" ");

/** The turn of one of several agents, from 0. They have a system prompt in common; what each session is asked, and what its tools return, is its own. */
export function turnOf(session: number, turn: number, isNamed: boolean) {
  const messages: Record<string, unknown>[] = [
    { role: "system", content: words("rule", 400) },
    { role: "user", content: `Fix bug ${session}.` },
  ];
  for (let index = 0; index < turn; index++) {
    const call = { name: "read", arguments: `{"path":"/src/${session}/${index}.ts"}` };
    messages.push(
      {
        role: "assistant",
        content: "I read on.",
        tool_calls: [{ id: `call_${index}`, type: "function", function: call }],
      },
      { role: "tool", tool_call_id: `call_${index}`, content: words(`s${session}t${index}x`, 60) },
    );
  }
  const tool = { name: "read", parameters: { type: "object", properties: {} } };
  const headers: [string, string][] = isNamed ? [["x-session-id", `session-${session}`]] : [];
  const body = { model: "shared", messages, tools: [{ type: "function", function: tool }] };
  return { body, headers };
}
