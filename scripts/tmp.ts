import { openExtractor } from "../control-plane/model-server/extractor/open-extractor.ts";
import { RunQueue } from "../control-plane/model-server/run-queue.ts";
const x = (await openExtractor(process.env, new RunQueue()))!;
const T = { target: { name: "get_current_weather", description: "Get the current weather or the forecast of a city" }, parameters: [{ name: "city", description: "The city.", type: "string" }, { name: "days", description: "Number of days", type: "int" }] };
const E = { target: { name: "create_event", description: "Create a calendar event or meeting" }, parameters: [{ name: "title", description: "title of the event", type: "string" }, { name: "date", description: "date of the event", type: "string", format: "YYYY-MM-DD" }] };
for (const [t, p] of [[T, "over there"], [T, "new york"], [T, "you know where"], [T, "does not matter"], [T, "whatever you like"], [T, "the capital of france"], [T, "paris, france"], [E, "budget review"], [E, "sync with marketing"], [E, "i don't care"], [E, "no title"],[E,"lunch with bob and anna"]] as any)
  for (const asked of [[t.parameters[0].name]]) {
    const r = await x.run({ ...t, prompt: p, asked });
    console.log(p, r.candidates.map((c) => c.slice(0, 1).map((s) => p.slice(s.start, s.end) + " " + s.odds.toFixed(1))).join(" | "));
  }
await x.close();
