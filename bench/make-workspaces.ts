/**
 * Workspaces with one member of them all, who has client credentials, made in one process. Prints them as JSON. Argument: how
 * many.
 */
import { withServices } from '../src/operator/services.js';

const [count] = process.argv.slice(2);

await withServices(async ({ workspaces, users, clients }) => {
  const ids: string[] = [];
  for (let number = 0; number < Number(count); number++) ids.push((await workspaces.create(`Scale ${number}`)).id);
  const user = await users.create('scale@example.com', ids);
  process.stdout.write(JSON.stringify({ ids, client: await clients.create(user.id) }));
});
