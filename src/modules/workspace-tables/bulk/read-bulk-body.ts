import type { Type } from '@nestjs/common';
import { type FieldError, InvalidRequestError } from '../../../../packages/errors/src/domain-error.js';
import { validateDto, validateEach } from '../../../platform/http/validation/validation.pipe.js';
import { MAX_COLUMNS } from '../catalog/dto/column.dto.js';
import type { EntityKind } from '../../../../packages/tables/src/catalog/entity-kind.js';
import { MAX_REQUEST_TABLES } from '../../../../packages/tables/src/catalog/request-limits.js';
import type { TableItems } from '../../../../packages/tables/src/writer/table-plan.js';
import { BatchTooLargeError, InvalidTablesError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { BulkAssetsDto, BulkListsDto, BulkLocationsDto, BulkTablesDto, TableInputDto } from './dto/bulk.dto.js';

/** The bulk bodies by their only field. All but the unified one are for one entity. */
const BODIES = {
  locations: { type: BulkLocationsDto, entity: 'location' },
  assets: { type: BulkAssetsDto, entity: 'asset' },
  lists: { type: BulkListsDto, entity: 'list' },
  tables: { type: BulkTablesDto, entity: undefined },
} as const satisfies Record<string, { type: Type<object>; entity: EntityKind | undefined }>;

export type BulkField = keyof typeof BODIES;

/** The structure of a bulk body, for messages. */
export function describeBody(field: BulkField): string {
  return `{ "${field}": [ … ] }`;
}

/**
 * Validates the structure of a bulk body, its tables and columns. The engine validates the rows: traversing a hundred
 * thousand of them once is enough.
 *
 * @throws {InvalidRequestError | BatchTooLargeError | InvalidTablesError}
 */
export async function readBulkBody(field: BulkField, body: unknown): Promise<TableItems[]> {
  const { type, entity } = BODIES[field];
  requireField(field, body);
  const items = extractItems(field, body);
  const sent = ((await validateDto<object>(type, body)) as Record<string, object[]>)[field]!;
  const tables = await validateEach(TableInputDto, sent, field);
  const errors = tables.flatMap((table, index) => validateType(table, entity, `${field}[${index}].type`));
  if (errors.length > 0) throw new InvalidRequestError(errors);
  return tables.map((table, index) => ({
    entity: entity ?? table.type!,
    name: table.name,
    columns: table.columns,
    items: items[index]!,
  }));
}

/**
 * Replaces the rows in the body by empty lists, so that the validation does not traverse them. Not in a copy: copying a
 * body with a million unknown fields takes seconds, and it is rejected anyway.
 */
function extractItems(field: BulkField, body: Record<string, unknown>): unknown[][] {
  const { [field]: tables } = body;
  const items: unknown[][] = [];
  if (!Array.isArray(tables)) return items;
  requireAllowedSize(tables);
  body[field] = (tables as unknown[]).map((table, index) => {
    const rows = (table as { items?: unknown } | null)?.items;
    if (!Array.isArray(rows)) return table;
    items[index] = rows as unknown[];
    return { ...(table as object), items: [] };
  });
  return items;
}

/**
 * Precedes the validation of tables and columns, which takes a minute for a million of them. A table may have more
 * columns than TABLE_MAX_COLUMNS, if the setting was lowered.
 */
function requireAllowedSize(tables: readonly unknown[]): void {
  if (tables.length > MAX_REQUEST_TABLES) throw new BatchTooLargeError('tables', MAX_REQUEST_TABLES, tables.length);
  for (const table of tables as (Partial<Record<'name' | 'columns', unknown>> | null)[]) {
    if (!Array.isArray(table?.columns) || table.columns.length <= MAX_COLUMNS) continue;
    const message = `A table has at most ${MAX_COLUMNS} columns; ${table.columns.length} were sent.`;
    const name = typeof table.name === 'string' ? table.name.slice(0, 255) : '';
    throw new InvalidTablesError('invalid_columns', 'A table has too many columns; nothing was stored.', [
      { table: name, code: 'too_many_columns', message },
    ]);
  }
}

/** If the field is missing, no other error of the body is reported. */
function requireField(field: BulkField, body: unknown): asserts body is Record<string, unknown> {
  if (typeof body === 'object' && body !== null && Object.hasOwn(body, field)) return;
  const message = `The body must be ${describeBody(field)}.`;
  throw new InvalidRequestError([{ field, code: 'required', message }], message);
}

function validateType({ type }: TableInputDto, entity: EntityKind | undefined, field: string): FieldError[] {
  if (!entity && !type) return [{ field, code: 'required', message: `${field} is required: location, asset or list.` }];
  if (!entity || !type || type === entity) return [];
  return [{ field, code: 'invalid_field', message: `${field} must be ${entity} on this route. It can be omitted.` }];
}
