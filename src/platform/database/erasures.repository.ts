import { Injectable } from '@nestjs/common';
import { DataSource, type EntityMetadata } from 'typeorm';
import { Database } from './database.js';
import type { EntityClass, ErasedPerson, ErasureStep, RowErasure, ToRowErasure } from './erased-person.js';
import { toNamePattern } from './name-pattern.js';
import { readNamesPersons, type TextKind } from './names-persons.decorator.js';

/** A table whose rows are read in the order of their keys. */
interface ErasedTable {
  name: string;
  /** Do its rows belong to workspaces? */
  isOwned: boolean;
  /** The columns of the primary key, without the workspace. */
  keys: { name: string; type: string }[];
}

/** Rows that one step reads. */
const STEP_ROWS = 1_000;

@Injectable()
export class ErasuresRepository {
  constructor(
    private readonly database: Database,
    private readonly dataSource: DataSource,
  ) {}

  /** The entities with columns that can name persons. */
  listMarked(): EntityClass[] {
    return this.dataSource.entityMetadatas
      .filter((metadata) => listMarkedColumns(metadata).length > 0)
      .map(({ target }) => target as EntityClass);
  }

  describe(entity: EntityClass): ErasedTable {
    const { tableName, primaryColumns, columns } = this.dataSource.getMetadata(entity);
    const workspace = columns.find(({ propertyName }) => propertyName === 'workspaceId');
    const keys = primaryColumns.filter((column) => column !== workspace);
    return {
      name: tableName,
      isOwned: workspace !== undefined && !workspace.isNullable,
      keys: keys.map(({ databaseName, type }) => ({ name: databaseName, type: String(type) })),
    };
  }

  /** Replaces the names in the marked columns. A changed record has a new version. */
  toTextErasure(
    entity: EntityClass,
    { names, pseudonym }: ErasedPerson,
    bind: (value: unknown) => string,
  ): RowErasure | undefined {
    if (names.length === 0) return undefined;
    const metadata = this.dataSource.getMetadata(entity);
    const columns = listMarkedColumns(metadata);
    const patterns = new Map<TextKind, string>();
    for (const { kind } of columns) if (!patterns.has(kind)) patterns.set(kind, bind(toNamePattern(names, kind)));
    const replacement = bind(pseudonym);
    const conditions: string[] = [];
    const assignments: string[] = [];
    for (const { column, kind } of columns) {
      const { databaseName, type, isArray } = column;
      const pattern = patterns.get(kind)!;
      const replace = (text: string) => `regexp_replace(${text}, ${pattern}, ${replacement}::text, 'gi')`;
      const value = `t."${databaseName}"`;
      if (isArray) {
        conditions.push(`EXISTS (SELECT 1 FROM unnest(${value}) AS part (text) WHERE part.text ~* ${pattern})`);
        assignments.push(
          `"${databaseName}" = ARRAY(SELECT ${replace('part.text')} FROM unnest(${value}) AS part (text))`,
        );
      } else {
        conditions.push(`${value}::text ~* ${pattern}`);
        assignments.push(`"${databaseName}" = ${replace(`${value}::text`)}::${String(type)}`);
      }
    }
    const { versionColumn, updateDateColumn } = metadata;
    if (versionColumn) assignments.push(`${versionColumn.databaseName} = t.${versionColumn.databaseName} + 1`);
    if (updateDateColumn) assignments.push(`${updateDateColumn.databaseName} = now()`);
    return { condition: conditions.join(' OR '), assignments };
  }

  /** Changes the rows in steps. @returns how many. */
  async eraseRows(
    table: ErasedTable,
    toErasure: ToRowErasure,
    person: ErasedPerson,
    step: ErasureStep,
    workspaceId?: string,
  ): Promise<number> {
    if (!toErasure(person, () => '')) return 0;
    let changed = 0;
    let after: string[] | undefined;
    do {
      const through = await this.findEndOfStep(table, after, workspaceId);
      const parameters: unknown[] = [];
      const bind = (value: unknown) => `$${parameters.push(value)}`;
      const range = toRange(table, bind, { after, through, workspaceId });
      const { condition, assignments } = toErasure(person, bind)!;
      const change = assignments
        ? `UPDATE ${table.name} t SET ${assignments.join(', ')}`
        : `DELETE FROM ${table.name} t`;
      const sql = `${change} WHERE ${range} AND (${condition})`;
      changed += await step(() => this.database.affected(sql, parameters));
      after = through;
    } while (after);
    return changed;
  }

  /** The key of the last row of a step; undefined if the step reads the rest of the table. */
  private async findEndOfStep(
    table: ErasedTable,
    after: string[] | undefined,
    workspaceId: string | undefined,
  ): Promise<string[] | undefined> {
    const parameters: unknown[] = [];
    const range = toRange(table, (value) => `$${parameters.push(value)}`, { after, workspaceId });
    const names = table.keys.map(({ name }) => `t.${name}`);
    const [end] = await this.database.query<{ key: string[] }>(
      `SELECT ARRAY[${names.map((name) => `${name}::text`).join(', ')}] AS key FROM ${table.name} t
        WHERE ${range} ORDER BY ${names.join(', ')} LIMIT 1 OFFSET ${STEP_ROWS - 1}`,
      parameters,
    );
    return end?.key;
  }
}

function listMarkedColumns({ target, columns }: EntityMetadata) {
  return columns.flatMap((column) => {
    const mark = readNamesPersons(target as EntityClass, column.propertyName);
    const kind: TextKind = mark?.kind ?? (column.type === 'jsonb' || column.type === 'json' ? 'json' : 'text');
    return mark ? [{ column, kind }] : [];
  });
}

/** SQL: the rows after a key, up to another. */
function toRange(
  { keys }: ErasedTable,
  bind: (value: unknown) => string,
  { after, through, workspaceId }: Partial<Record<'after' | 'through', string[]>> & { workspaceId?: string },
): string {
  const own = `(${keys.map(({ name }) => `t.${name}`).join(', ')})`;
  const toRow = (values: string[]) => `(${values.map((value, at) => `${bind(value)}::${keys[at]!.type}`).join(', ')})`;
  const conditions = ['TRUE'];
  if (workspaceId !== undefined) conditions.push(`t.workspace_id = ${bind(workspaceId)}`);
  if (after) conditions.push(`${own} > ${toRow(after)}`);
  if (through) conditions.push(`${own} <= ${toRow(through)}`);
  return conditions.join(' AND ');
}
