import { createServer } from 'node:http';
import { AtriumClient, type Entity } from '@atrium/client';
import { createReceiver } from './receiver.js';
import { Replica, type TableEvent } from './replica.js';

/** Stores a replica of the table `TABLE` (for example `asset/Pumps`), and prints its size after each event. */
async function main(): Promise<void> {
  const { ATRIUM_URL, ATRIUM_API_KEY, ATRIUM_WORKSPACE, TABLE, WEBHOOK_SECRET, PORT = '4000' } = process.env;
  if (!ATRIUM_URL || !ATRIUM_API_KEY || !ATRIUM_WORKSPACE || !TABLE || !WEBHOOK_SECRET) {
    throw new Error('Set ATRIUM_URL, ATRIUM_API_KEY, ATRIUM_WORKSPACE, TABLE and WEBHOOK_SECRET.');
  }
  const client = new AtriumClient({ baseUrl: ATRIUM_URL, apiKey: ATRIUM_API_KEY, workspaceId: ATRIUM_WORKSPACE });
  const [entity, name] = TABLE.split('/') as [Entity, string];
  const replica = new Replica(client, { entity, name });
  const print = (): void => console.log(`Revision ${replica.revision}: ${replica.rows.size} rows`);
  await replica.load();
  print();
  const receive = createReceiver<TableEvent>(WEBHOOK_SECRET, async (event) => {
    await replica.process(event);
    print();
  });
  createServer((request, response) => void receive(request, response)).listen(Number(PORT));
}

main().catch((error: unknown) => {
  console.error((error as Error).message);
  process.exitCode = 1;
});
