import { randomBytes } from 'node:crypto';
import { withServices } from '../../dist/src/operator/services.js';

/**
 * What four of the operator's commands make, in one process in place of four: a workspace, a user, client credentials
 * and an API key. Prints them as JSON. Arguments: the workspace's name, then the client's scopes.
 */
const [name, ...scopes] = process.argv.slice(2);

await withServices(async ({ workspaces, users, clients, apiKeys }) => {
  const workspace = await workspaces.create(name);
  const email = `${randomBytes(6).toString('hex')}@example.com`;
  const user = await users.create(email, [workspace.id]);
  const client = await clients.create(user.id, scopes.length > 0 ? scopes : undefined);
  const { apiKey } = await apiKeys.create(user.id, workspace.id);
  process.stdout.write(JSON.stringify({ workspaceId: workspace.id, userId: user.id, ...client, apiKey }));
});
