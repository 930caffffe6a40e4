import { randomBytes } from 'node:crypto';
import { withServices } from '../../dist/src/operator/services.js';

/** What four of the operator's commands make, in one go. */
async function provision({ workspaces, users, clients, apiKeys }, name, scopes) {
  const workspace = await workspaces.create(name);
  const user = await users.create(`${randomBytes(6).toString('hex')}@example.com`, [workspace.id]);
  const client = await clients.create(user.id, scopes.length > 0 ? scopes : undefined);
  const { apiKey } = await apiKeys.create(user.id, workspace.id);
  return { workspaceId: workspace.id, userId: user.id, ...client, apiKey };
}

/**
 * The operator's services in a process that stays: a command of its own takes over a second to start, and a race is run
 * a hundred times. Takes `{ id, service, method, args }` and answers `{ id, result }` or `{ id, error }`, until the
 * parent lets go.
 */
await withServices(async (services) => {
  const desk = { ...services, desk: { provision: (...args) => provision(services, ...args) } };
  process.on('message', ({ id, service, method, args }) => {
    desk[service][method](...args).then(
      (result) => process.send({ id, result }),
      (error) => process.send({ id, error: String(error) }),
    );
  });
  process.send({ ready: true });
  await new Promise((done) => process.once('disconnect', done));
});
