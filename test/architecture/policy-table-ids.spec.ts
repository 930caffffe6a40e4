import type { QueryRunner } from 'typeorm';
import { PolicyTableIds1763700070000 } from '../../migrations/1763700070000-policy-table-ids.js';

const WORKSPACE = { workspace_id: 'w' };
const TABLES = [
  { ...WORKSPACE, entity: 'asset', name_key: 'pümpen', name: 'Pümpen', id: 'a1' },
  { ...WORKSPACE, entity: 'location', name_key: 'pümpen', name: 'Pümpen', id: 'l1' },
];

describe('the migration of the rules of access policies', () => {
  const tables = [
    { entity: 'assets', table: ' PU\u0308MPEN', write: true },
    { entity: 'locations', table: 'Pümpen', under: 'A' },
    { entity: 'lists', table: 'Pümpen' },
    { entity: 'assets', table: '*' },
  ];
  const stored = ['a1', 'l1', 'Pümpen', '*'];

  /** Runs the migration for one policy. @returns the rules that it stores; undefined if it stores none. */
  async function migrate(direction: 'up' | 'down', rules: object): Promise<any> {
    let changed: unknown;
    const query = (sql: string, parameters: unknown[] = []) => {
      if (sql.startsWith('UPDATE')) changed = JSON.parse(String(parameters[2]));
      return Promise.resolve(sql.includes('FROM workspace_tables') ? TABLES : [{ ...WORKSPACE, id: 'p', rules }]);
    };
    await new PolicyTableIds1763700070000()[direction]({ query } as unknown as QueryRunner);
    return changed;
  }

  it('stores the IDs of tables that exist, and retains everything else', async () => {
    const migrated = await migrate('up', { tables, notes: { under: 'A' } });
    expect(migrated).toEqual({
      tables: tables.map((rule, at) => ({ ...rule, table: stored[at] })),
      notes: { under: 'A' },
    });
    expect(await migrate('up', migrated)).toBeUndefined();
    expect(await migrate('up', { notes: { under: 'A' } })).toBeUndefined();
  });

  it('can be reverted', async () => {
    const migrated = tables.map((rule, at) => ({ ...rule, table: stored[at] }));
    expect(await migrate('down', { tables: migrated })).toEqual({
      tables: tables.map((rule, at) => ({ ...rule, table: at < 2 ? 'Pümpen' : rule.table })),
    });
  });
});
