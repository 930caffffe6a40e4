import type { MigrationInterface, QueryRunner } from 'typeorm';

interface Rule {
  entity: string;
  table: string;
}

const ENTITIES = new Map([
  ['locations', 'location'],
  ['assets', 'asset'],
  ['lists', 'list'],
]);

/** Rules of access policies name existing tables by their ID, so that a rename does not end them (ADR 0200). */
export class PolicyTableIds1763700070000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const tables = (await runner.query('SELECT workspace_id, entity, name_key, id FROM workspace_tables')) as {
      workspace_id: string;
      entity: string;
      name_key: string;
      id: string;
    }[];
    const ids = new Map(
      tables.map(({ workspace_id, entity, name_key, id }) => [`${workspace_id} ${entity} ${name_key}`, id]),
    );
    await this.replace(runner, (workspaceId, { entity, table }) => {
      const nameKey = table.trim().normalize('NFC').toLowerCase();
      return ids.get(`${workspaceId} ${ENTITIES.get(entity)} ${nameKey}`) ?? table;
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    const tables = (await runner.query('SELECT id, name FROM workspace_tables')) as { id: string; name: string }[];
    const names = new Map(tables.map(({ id, name }) => [id, name]));
    await this.replace(runner, (_, { table }) => names.get(table) ?? table);
  }

  private async replace(runner: QueryRunner, rename: (workspaceId: string, rule: Rule) => string): Promise<void> {
    const policies = (await runner.query('SELECT workspace_id, id, rules FROM access_policies')) as {
      workspace_id: string;
      id: string;
      rules: { tables?: Rule[] };
    }[];
    for (const { workspace_id: workspaceId, id, rules } of policies) {
      const tables = rules.tables?.map((rule) => ({ ...rule, table: rename(workspaceId, rule) }));
      const isChanged = tables?.some(({ table }, at) => table !== rules.tables![at]!.table);
      if (!isChanged) continue;
      await runner.query('UPDATE access_policies SET rules = $3 WHERE workspace_id = $1 AND id = $2', [
        workspaceId,
        id,
        JSON.stringify({ ...rules, tables }),
      ]);
    }
  }
}
