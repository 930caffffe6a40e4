import { randomBytes } from 'node:crypto';
import { ApiKeysService } from '../../dist/src/modules/auth/api-keys.service.js';
import { ClientsService } from '../../dist/src/modules/auth/clients.service.js';
import { UsersService } from '../../dist/src/modules/users/users.service.js';
import { WorkspacesService } from '../../dist/src/modules/workspaces/workspaces.service.js';
import { withServices } from '../../dist/src/operator/services.js';

/**
 * What four of the operator's commands make, in one process in place of four: a workspace, a user, client credentials
 * and an API key. Prints them as JSON. Arguments: the workspace's name, then the client's scopes.
 */
const [name, ...scopes] = process.argv.slice(2);

await withServices(async (services) => {
  const workspace = await services.get(WorkspacesService).create(name);
  const email = `${randomBytes(6).toString('hex')}@example.com`;
  const user = await services.get(UsersService).create(email, [workspace.id]);
  const client = await services.get(ClientsService).create(user.id, scopes.length > 0 ? scopes : undefined);
  const { apiKey } = await services.get(ApiKeysService).create(user.id, workspace.id);
  process.stdout.write(JSON.stringify({ workspaceId: workspace.id, userId: user.id, ...client, apiKey }));
});
