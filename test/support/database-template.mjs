import { Logger } from '@nestjs/common';
import pg from 'pg';
import { migrations } from '../../dist/migrations/migrations.js';
import { Config } from '../../dist/src/platform/config/config.js';
import { parseEnvironment } from '../../dist/src/platform/config/environment.js';
import { openDataSource } from '../../dist/src/platform/database/data-source.js';
import { partitionTables } from './partitioned-tables.mjs';
import { STAGE } from './suites.mjs';

const TEMPLATE = 'migrated';

/**
 * Creates the database that the databases of the suites are copies of, so that all migrations run once per test run.
 * @returns its name.
 */
export async function migrateTemplate(serverUrl) {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${TEMPLATE}`);
  await client.end();
  // Omits one line per migration.
  Logger.overrideLogger(['warn', 'error', 'fatal']);
  const config = new Config(parseEnvironment({}), { pepper: Buffer.alloc(32), encryptionKey: Buffer.alloc(32) });
  const url = serverUrl.replace(/\/atrium(?=\?|$)/, `/${TEMPLATE}`);
  const dataSource = await openDataSource(config, url, migrations);
  // PostgreSQL copies only databases without connections.
  await dataSource.destroy();
  if (STAGE === 'partitioned') await partition(url);
  return TEMPLATE;
}

async function partition(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await partitionTables(client);
  await client.end();
}
