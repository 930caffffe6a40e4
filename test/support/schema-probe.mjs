/**
 * Compares the migrated schema of an empty database with the entities of the built service. Prints JSON: `difference`
 * lists the statements that TypeORM would still run, `remains` the objects left after all migrations were reverted, and
 * `differenceAfterwards` the statements after they were applied again. A separate program, because Jest cannot import
 * ES modules.
 */
import { readdirSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import '../../dist/src/app.module.js';
import { migrations } from '../../dist/migrations/migrations.js';
import { Config } from '../../dist/src/platform/config/config.js';
import { parseEnvironment } from '../../dist/src/platform/config/environment.js';
import { openDataSource } from '../../dist/src/platform/database/data-source.js';

// Standard output contains only the result.
Logger.overrideLogger(false);

// The engine of tables writes some fixed tables by SQL, so nothing imports their entities.
const built = new URL('../../dist/src/', import.meta.url);
for (const file of readdirSync(built, { recursive: true }))
  if (file.endsWith('.entity.js')) await import(new URL(file, built).href);

const config = new Config(parseEnvironment({}), { pepper: Buffer.alloc(32), encryptionKey: Buffer.alloc(32) });
const dataSource = await openDataSource(config, process.argv[2], migrations);
try {
  const before = await difference();
  for (let left = migrations.length; left > 0; left--) await dataSource.undoLastMigration({ transaction: 'each' });
  const remains = await objects();
  await dataSource.runMigrations({ transaction: 'each' });
  const result = {
    entities: dataSource.entityMetadatas.length,
    difference: before,
    remains,
    differenceAfterwards: await difference(),
  };
  process.stdout.write(JSON.stringify(result));
} finally {
  await dataSource.destroy();
}

/** The statements that would make the database match the entities. */
async function difference() {
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  return upQueries.map(({ query }) => query);
}

/** The tables, sequences, functions and types of the database, without TypeORM's own tables. */
async function objects() {
  const rows = await dataSource.query(`
    SELECT relname AS name FROM pg_class
     WHERE relnamespace NOT IN (SELECT oid FROM pg_namespace WHERE nspname ~ '^(pg_|information_schema)')
       AND relname !~ '^migrations'
       AND relkind IN ('r', 'p', 'v', 'm', 'S')
    UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT typname FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype IN ('e', 'd')
    UNION ALL SELECT name FROM migrations`);
  return rows.map(({ name }) => name);
}
