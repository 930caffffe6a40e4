/**
 * Creates many accounts in one process, faster than one operator command per account, and prints them as JSON.
 *
 *     create-accounts.js clients COUNT WORKSPACE_ID    users of the workspace, each with client credentials
 *     create-accounts.js workspaces COUNT              workspaces, and one client of a user who is a member of all
 */
import { type Services, withServices } from '../src/operator/services.js';

const [kind, countText, workspaceId] = process.argv.slice(2);
const count = Number(countText);

async function createClients({ userAdministration, clients }: Services): Promise<unknown> {
  const created = [];
  for (let number = 0; number < count; number++) {
    const user = await userAdministration.create(`bench-${number}@example.com`, [workspaceId!]);
    created.push({ userId: user.id, ...(await clients.create(user.id)) });
  }
  return created;
}

async function createWorkspaces({ workspaces, userAdministration, clients }: Services): Promise<unknown> {
  const ids: string[] = [];
  for (let number = 0; number < count; number++) ids.push((await workspaces.create(`Scale ${number}`)).id);
  const user = await userAdministration.create('scale@example.com', ids);
  return { ids, client: await clients.create(user.id) };
}

await withServices(async (services) => {
  const accounts = kind === 'clients' ? await createClients(services) : await createWorkspaces(services);
  process.stdout.write(JSON.stringify(accounts));
});
