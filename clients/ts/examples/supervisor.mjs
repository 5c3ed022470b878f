// A supervisor's loop: for each task a context, the model's answer, what became of it. node supervisor.mjs ROOT [TASK…]
import path from "node:path";
import { Contextd, ContextdError } from "../contextd.js";

const contextd = new Contextd({ baseUrl: process.env.CONTEXTD_URL, token: process.env.CONTEXTD_TOKEN });

// Stands for your call of a model: messages are as its API wants them.
async function askModel(messages) {
  return `Looked at ${messages.length} messages.`;
}

async function work(project, id, title) {
  const context = await contextd.buildContext({ project, agent: "worker-1", agent_kind: "knight", task: { id, title } });
  console.log(`${id}: ${context.status}, ${context.tokens} of ${context.budget_tokens} tokens`);
  for (const section of context.sections) console.log(`  ${section.name}: ${section.tokens} tokens`);
  const response = await askModel(context.messages);
  await contextd.feedback(context.id, { response });
  await contextd.completeTask(project, { task_id: id, intent: title, success: true });
}

const [root, ...titles] = process.argv.slice(2);
const { project } = await contextd.search({ query: "main", root: path.resolve(root), deadline_ms: 10000 });
for (const [i, title] of (titles.length ? titles : ["Find where settings are read"]).entries()) {
  try {
    await work(project, `task-${i + 1}`, title);
  } catch (err) {
    if (!(err instanceof ContextdError)) throw err;
    console.log(`task-${i + 1}: ${err.message}`);
  }
}
