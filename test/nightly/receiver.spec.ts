import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AtriumClient, type Row, type TableClient, type WorkspaceEvent } from '@atrium/client';
import { createReceiver } from '../../examples/receiver/receiver.js';
import { Replica, type TableEvent } from '../../examples/receiver/replica.js';
import { TestDatabase, TestService } from '../support/service.js';
import { until } from '../support/until.js';

/**
 * Rows that are created, changed or deleted. A run by hand may have more:
 * `RECEIVER_WRITES=50000 npm run test:nightly -- receiver`.
 */
const WRITES = Number(process.env['RECEIVER_WRITES'] ?? 10_000);
const WRITERS = 4;
const KEYS = 500;
const FAILURES = 0.15;

const SETTINGS = {
  EVENTS_ALLOW_HTTP: 'true',
  EVENTS_ALLOWED_NETWORKS: '127.0.0.1',
  EVENTS_TIMEOUT_MS: '200',
  EVENTS_RETRY_DELAYS_S: Array.from({ length: 20 }, () => '1').join(','),
};

const random = (limit: number): number => Math.floor(Math.random() * limit);
const byKey = (rows: Iterable<Row>): Row[] => [...rows].sort((a, b) => (String(a['key']) < String(b['key']) ? -1 : 1));

/** What a receiver in trouble does: an error, a closed connection, no response. */
const FAILING: ((response: ServerResponse) => void)[] = [
  (response) => void response.writeHead(500).end(),
  (response) => void response.destroy(),
  () => undefined,
];

it('the replica of the example equals the table after random writes with failing deliveries', async () => {
  const database = await TestDatabase.create();
  const service = await TestService.start(database, SETTINGS);
  const errors = jest.spyOn(console, 'error').mockImplementation();
  const counts = { requests: 0, failed: 0 };
  let receiver: Server | undefined;
  try {
    const { workspaceId, apiKey } = await service.provision();
    const client = new AtriumClient({ baseUrl: service.baseUrl, apiKey, workspaceId });
    const table = client.assets<Row>('Pumps');
    const columns = [
      { key: 'key', name: 'Key', type: 'text', primaryKey: true } as const,
      { key: 'value', name: 'Value', type: 'number' } as const,
    ];
    await table.upsert([{ key: 'K0', value: 0 }], { columns });
    const replica = new Replica(client, table);

    const processed = new Set<number>();
    receiver = createServer((request, response) => {
      counts.requests++;
      if (Math.random() >= FAILURES) return void receive(request, response);
      counts.failed++;
      FAILING[random(FAILING.length)]!(response);
    });
    await new Promise<void>((done) => receiver!.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const path = `${client.workspacePath}/subscriptions`;
    type Subscription = { id: string; secret: string };
    const body = JSON.stringify({ url, events: ['table.*'] });
    const { secret } = await client.json<Subscription>('POST', path, { body });
    const { latestSequence: before } = await client.json<{ latestSequence: number }>(
      'GET',
      `${client.workspacePath}/events?limit=1`,
    );
    const receive = createReceiver<TableEvent & WorkspaceEvent>(secret, async (event) => {
      await replica.process(event);
      processed.add(event.sequence!);
      // Processed, but the service receives 503 and sends it again.
      if (Math.random() < FAILURES / 3) throw new Error('The receiver fails after an event.');
    });

    // The writers start before the table is loaded.
    let writes = 0;
    const writers = Array.from({ length: WRITERS }, async () => {
      while (writes < WRITES) {
        const rows = await write(table);
        writes += rows;
      }
    });
    await replica.load();
    await Promise.all(writers);

    const logged: number[] = [];
    for await (const { sequence } of client.events({ after: before, types: ['table.*'] })) logged.push(sequence!);
    await until(
      () => logged.filter((sequence) => !processed.has(sequence)).length,
      (missing) => missing === 0,
      600_000,
    );
    const rows: Row[] = [];
    for await (const row of table.rows()) rows.push(row);
    expect(rows.length).toBeGreaterThan(0);
    expect(byKey(replica.rows.values())).toEqual(byKey(rows));
    expect(replica.revision).toBe((await table.describe()).revision);
    expect(counts.failed).toBeGreaterThan(0);
    expect(errors).toHaveBeenCalled();
    expect(counts.requests).toBeGreaterThan(logged.length);
  } finally {
    errors.mockRestore();
    receiver?.closeAllConnections();
    receiver?.close();
    await service.stop();
    await database.drop();
  }
}, 900_000);

/** @returns the number of rows in the request */
async function write(table: TableClient<Row>): Promise<number> {
  const keys = (count: number) => [...new Set(Array.from({ length: count }, () => `K${random(KEYS)}`))];
  const kind = random(10);
  const chosen = keys(kind < 6 ? 1 : kind < 8 ? 20 : 1 + random(10));
  if (kind < 8) await table.upsert(chosen.map((key) => ({ key, value: random(1_000_000) })));
  else await table.delete(chosen);
  return chosen.length;
}
