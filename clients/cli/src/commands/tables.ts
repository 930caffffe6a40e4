import { toArray } from '../iteration.js';
import { entityOption } from '../options.js';
import type { Program, Runner } from '../runner.js';

export function addTableCommands(program: Program, { inSession, inWorkspace, onTable }: Runner): void {
  program
    .command('workspaces')
    .description('list your workspaces')
    .action(
      inSession(async ({ client, output }) => {
        const found = await toArray(client.paginate('/v1/api/workspaces'));
        const entries = found.map(({ id, name, slug, timezone }) => ({ id, name, slug, timezone }));
        await output.table(entries, ['id', 'name', 'slug', 'timezone']);
      }),
    );
  program
    .command('tables')
    .description('list the tables of the workspace')
    .addOption(entityOption())
    .action(
      inWorkspace(async ({ client, output }, { entity: only }) => {
        const found = (await toArray(client.tables()))
          .map(({ type: entity, name, columnCount: columns, revision, id }) => ({
            entity,
            name,
            columns,
            revision,
            id,
          }))
          .filter(({ entity }) => only === undefined || entity === only);
        await output.table(found, ['entity', 'name', 'columns', 'revision', 'id']);
      }),
    );
  program
    .command('describe <table>')
    .description('show the columns of a table')
    .addOption(entityOption())
    .action(
      onTable(async ({ table, output }) => {
        const described = await table.describe();
        if (output.json) {
          output.printJson(described);
          return;
        }
        const { type: entity, name, revision, id, columns } = described;
        output.line(`${entity}/${name}, revision ${revision}, ID ${id}`, 'bold');
        await output.table(columns, ['key', 'name', 'type', 'required', 'options'], (column) => ({
          ...column,
          type: column.primaryKey ? `${column.type}, primary key` : column.type,
          required: column.required ? 'yes' : '',
          options: Object.keys(column.options).length > 0 ? JSON.stringify(column.options) : '',
        }));
      }),
    );
}
