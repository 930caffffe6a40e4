import type { Result, Settings } from './scenario.js';

/** `node main.js CLIENT`, with the settings as JSON on standard input; prints the result as JSON. */
const clients: Record<string, () => Promise<{ run(settings: Settings): Promise<Result> }>> = {
  'openapi-fetch': () => import('./openapi-fetch.js'),
  'hey-api': () => import('./hey-api.js'),
  orval: () => import('./orval.js'),
};

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
const settings = JSON.parse(Buffer.concat(chunks).toString()) as Settings;
const { run } = await clients[process.argv[2]!]!();
process.stdout.write(JSON.stringify(await run(settings)));
