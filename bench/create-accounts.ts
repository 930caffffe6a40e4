/** `create-accounts.js COUNT WORKSPACE_ID` creates users, and a workspace if the ID is empty, and prints JSON. */
import { randomUUID } from 'node:crypto';
import { withServices } from '../src/operator/services.js';

const [count, existing] = process.argv.slice(2);

await withServices(async ({ workspaces, userAdministration, clients }) => {
  const workspaceId = existing || (await workspaces.create('Benchmark')).id;
  const accounts = [];
  for (let created = 0; created < Number(count); created++) {
    const { id: userId } = await userAdministration.create(`${randomUUID()}@example.com`, [workspaceId]);
    accounts.push({ userId, ...(await clients.create(userId)) });
  }
  process.stdout.write(JSON.stringify({ workspaceId, accounts }));
});
