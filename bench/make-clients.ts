/**
 * Users with client credentials, made in one process in place of two of the operator's commands a user. Prints them as
 * JSON. Arguments: the workspace they are members of, and how many.
 */
import { withServices } from '../src/operator/services.js';

const [workspaceId, count] = process.argv.slice(2);

await withServices(async ({ users, clients }) => {
  const made = [];
  for (let number = 0; number < Number(count); number++) {
    const user = await users.create(`bench-${number}@example.com`, [workspaceId!]);
    made.push({ userId: user.id, ...(await clients.create(user.id)) });
  }
  process.stdout.write(JSON.stringify(made));
});
