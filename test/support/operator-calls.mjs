/**
 * Runs the commands and services of the operator CLI in one process for the whole run: loading them takes a second, and
 * hundreds of tests need them. Each call has its own settings and its own output. The exit codes of processes are
 * tested with separate processes (operator.ts).
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { runCommand as runInProcess } from '../../dist/src/operator/run.js';
import { openedServices, withServices } from '../../dist/src/operator/services.js';

const calls = new AsyncLocalStorage();
const environment = process.env;
Object.defineProperty(process, 'env', { get: () => calls.getStore()?.env ?? environment });
for (const name of ['stdout', 'stderr']) {
  const stream = process[name];
  const write = stream.write.bind(stream);
  stream.write = (text, ...rest) => {
    const call = calls.getStore();
    if (call?.[name] === undefined) return write(text, ...rest);
    call[name] += text;
    return true;
  };
}
// Each use of the services listens for the termination signals.
process.setMaxListeners(0);

/** Services that stay open, because the tests of races use them hundreds of times. */
const operators = new Map();

/** Opens the services with these settings. @returns the ID for `ask` and `closeOperator`. */
export function openOperator({ env }) {
  return calls.run({ env: { ...env, LOG_LEVEL: 'warn' } }, async () => {
    const id = randomBytes(8).toString('hex');
    await new Promise((opened, failed) => {
      const ended = withServices(async (services) => {
        const all = { ...services, operator: { provision: (...args) => provision(services, ...args) } };
        await new Promise((leave) => {
          operators.set(id, { settings: JSON.stringify(env), services: all, close: () => (leave(), ended) });
          opened();
        });
      });
      ended.catch(failed);
    });
    return id;
  });
}

/** Creates a workspace, a user, a client and an API key, as four commands of the operator CLI do. */
async function provision({ workspaces, userAdministration, clients, apiKeys }, name, scopes) {
  const workspace = await workspaces.create(name);
  const user = await userAdministration.create(`${randomBytes(6).toString('hex')}@example.com`, [workspace.id]);
  const client = await clients.create(user.id, scopes.length > 0 ? scopes : undefined);
  const { apiKey } = await apiKeys.create(user.id, workspace.id);
  return { workspaceId: workspace.id, userId: user.id, ...client, apiKey };
}

/** Calls a method of an opened service. */
export function ask({ operator, service, method, args }) {
  return operators.get(operator).services[service][method](...args);
}

export async function closeOperator({ operator }) {
  const { close } = operators.get(operator);
  operators.delete(operator);
  await close();
}

/** Runs a command, with the services that are open for these settings, if any. @returns its exit code and output. */
export async function runCommand({ env, args }) {
  const call = { env, stdout: '', stderr: '' };
  const settings = JSON.stringify(env);
  const opened = [...operators.values()].find((operator) => operator.settings === settings)?.services;
  const code = await calls.run(call, () => openedServices.run(opened, () => runInProcess(args)));
  return { code, stdout: call.stdout, stderr: call.stderr };
}
