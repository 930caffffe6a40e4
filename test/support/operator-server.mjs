import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { createProgram } from '../../dist/src/operator/program.js';
import { withServices } from '../../dist/src/operator/services.js';

/**
 * Runs the commands and services of the operator CLI in one process for the whole run: loading them takes a second, and
 * hundreds of tests need them. Each call has its own settings and its own output. Exit codes, signals and terminal output
 * are tested with separate processes (operator.ts).
 */
const calls = new AsyncLocalStorage();
const environment = process.env;
Object.defineProperty(process, 'env', { get: () => calls.getStore()?.env ?? environment });
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (text, ...rest) => {
  const call = calls.getStore();
  if (call?.stdout === undefined) return write(text, ...rest);
  call.stdout += text;
  return true;
};
// Each use of the services listens for the termination signals.
process.setMaxListeners(0);

/** Services that stay open, because the tests of races use them hundreds of times. */
const operators = new Map();

/** Creates a workspace, a user, a client and an API key, as four commands of the operator CLI do. */
async function provision({ workspaces, users, clients, apiKeys }, name, scopes) {
  const workspace = await workspaces.create(name);
  const user = await users.create(`${randomBytes(6).toString('hex')}@example.com`, [workspace.id]);
  const client = await clients.create(user.id, scopes.length > 0 ? scopes : undefined);
  const { apiKey } = await apiKeys.create(user.id, workspace.id);
  return { workspaceId: workspace.id, userId: user.id, ...client, apiKey };
}

const requests = {
  open: ({ env }) =>
    calls.run({ env: { ...env, LOG_LEVEL: 'warn' } }, async () => {
      const id = randomBytes(8).toString('hex');
      await new Promise((opened, failed) => {
        const ended = withServices(async (services) => {
          const all = { ...services, operator: { provision: (...args) => provision(services, ...args) } };
          await new Promise((leave) => {
            operators.set(id, { services: all, close: () => (leave(), ended) });
            opened();
          });
        });
        ended.catch(failed);
      });
      return id;
    }),
  ask: ({ operator, service, method, args }) => operators.get(operator).services[service][method](...args),
  async close({ operator }) {
    const { close } = operators.get(operator);
    operators.delete(operator);
    await close();
  },
  async run({ env, args }) {
    const call = { env, stdout: '' };
    await calls.run(call, () => createProgram().parseAsync(args, { from: 'user' }));
    return call.stdout;
  },
};

const server = createServer(async (request, response) => {
  try {
    const result = await requests[request.url.slice(1)](await json(request));
    response.end(JSON.stringify({ result }));
  } catch (error) {
    response.end(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }));
  }
});
server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}`));
process.once('disconnect', () => process.exit());
