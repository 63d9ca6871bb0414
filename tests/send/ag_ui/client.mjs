// Reads runs with the official client, its verification of event order on, and prints what it ended
// up with. Standard input: one JSON object a line, {name, url, token, body?}; without a body, GET.
// `body.then` lists what follows: {message} says something, {resume} answers all interrupts so.
// Standard output: one a line, {name, error, warnings, messages, subagents, custom, runs}.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(process.argv[2] + "/");
const { HttpAgent } = await import(pathToFileURL(require.resolve("@ag-ui/client")));

class Viewer extends HttpAgent {
  requestInit(input) {
    const init = super.requestInit(input);
    return this.body === undefined ? { ...init, method: "GET", body: undefined } : init;
  }
}

async function read({ name, url, token, body }) {
  const agent = new Viewer({ url, headers: { Authorization: `Bearer ${token}` }, ...body });
  agent.body = body;
  const found = { name, error: null, warnings: [], subagents: [], custom: [], runs: [] };
  const warn = console.warn;
  console.warn = (...words) => found.warnings.push(words.join(" "));
  const watch = {
    onEvent: ({ event }) => {
      if (event.type.startsWith("SUBAGENT_")) found.subagents.push(event);
      if (event.type === "CUSTOM") found.custom.push(event);
      if (event.type.startsWith("RUN_")) found.runs.push(event);
    },
  };
  try {
    await agent.runAgent({}, watch);
    for (const answer of body?.then ?? []) {
      if (answer.message) agent.addMessage(answer.message);
      const { interrupts = [] } = found.runs.at(-1)?.outcome ?? {};
      const resume = interrupts.map(({ id }) => ({ interruptId: id, ...answer.resume }));
      await agent.runAgent(answer.resume ? { resume } : {}, watch);
    }
  } catch (error) {
    found.error = String(error?.stack ?? error);
  }
  console.warn = warn;
  found.messages = agent.messages;
  return found;
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(await read(JSON.parse(line))) + "\n");
}
