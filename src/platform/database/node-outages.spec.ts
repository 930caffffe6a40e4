import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { TestDatabase } from '../../../test/support/service.js';
import { NodeOutages } from './node-outages.js';

/**
 * What a check reads on a coordinator. A call to connect to a worker advances a sequence, which outlasts the
 * transaction of the check, and fails as often as `failures` requires.
 */
const COORDINATOR = `
  CREATE SEQUENCE connected;
  CREATE TABLE failures (count int);
  CREATE TABLE workspaces (id uuid);
  CREATE TABLE pg_dist_node (groupid int, nodename text, nodeport int, noderole text);
  INSERT INTO pg_dist_node VALUES (0, 'coordinator', 1, 'primary'), (1, 'worker', 2, 'primary');
  CREATE TABLE pg_dist_placement (shardid bigint, groupid int);
  CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod char, repmodel char);
  INSERT INTO pg_dist_partition VALUES ('workspaces', 'n', 't');
  CREATE FUNCTION get_shard_id_for_distribution_column(regclass, uuid) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
  CREATE FUNCTION citus_check_connection_to_node(text, int) RETURNS boolean LANGUAGE sql AS
    'SELECT nextval(''connected'') > (SELECT count FROM failures)'`;

describe('NodeOutages', () => {
  let server: TestDatabase;
  let database: Client;

  beforeAll(async () => {
    server = await TestDatabase.createEmpty();
    database = new Client({ connectionString: server.url });
    await database.connect();
    await database.query('CREATE SCHEMA coordinator; SET search_path = coordinator');
    await database.query(COORDINATOR);
  });

  afterAll(async () => {
    await database.end();
    await server.drop();
  });

  /** @param failures how many of the next connections to the worker fail. */
  async function failNext(failures: number): Promise<void> {
    await database.query('TRUNCATE failures; ALTER SEQUENCE connected RESTART');
    await database.query('INSERT INTO failures VALUES ($1)', [failures]);
  }

  let outages: NodeOutages;

  let coordinator: DataSource;

  beforeEach(async () => {
    const extra = { options: '-c search_path=coordinator,pg_catalog' };
    coordinator = await new DataSource({ type: 'postgres', url: server.url, extra }).initialize();
    outages = new NodeOutages(coordinator);
  });

  // As long as a node is unreachable, it is checked each second.
  afterEach(async () => {
    await failNext(0);
    await outages.update();
    await coordinator.destroy();
  });

  async function countConnections(): Promise<number> {
    const { rows } = await database.query<{ count: string }>('SELECT last_value AS count FROM connected');
    return Number(rows[0]!.count);
  }

  it.each([
    ['reachable if it accepts the second connection', 1, false],
    ['unreachable if it accepts neither of two connections', 2, true],
  ])('a node counts as %s', async (_, failures, isUnreachable) => {
    await failNext(failures);
    await outages.update();
    expect(outages.restrict('id') !== 'TRUE').toBe(isUnreachable);
    expect(await countConnections()).toBe(2);
  });

  it('checks an unreachable node once, and ends the outage with the first connection', async () => {
    await failNext(3);
    await outages.update();
    await outages.update();
    expect(outages.restrict('id')).toBe("id = ANY ('{}'::uuid[])");
    expect(await countConnections()).toBe(3);
    await outages.update();
    expect(outages.restrict('id')).toBe('TRUE');
    expect(await countConnections()).toBe(4);
  });
});
