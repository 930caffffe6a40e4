import { Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { type FieldError, InvalidRequestError } from '../../../platform/http/domain-error.js';
import { validateDto } from '../../../platform/http/validation/validation.pipe.js';
import type { ColumnDefinition } from '../catalog/column-plan.js';
import { BulkAssetsDto, BulkListsDto, BulkLocationsDto, BulkTablesDto, type TableInputDto } from './dto/bulk.dto.js';
import { type EntityKind, toEntityKind } from '../catalog/entity-kind.js';
import type { TableBatch } from '../engine/table-plan.js';
import { BatchTooLargeError, InvalidTablesError } from '../workspace-tables.errors.js';

/** The one field of a bulk body. */
export type BulkField = 'locations' | 'assets' | 'lists' | 'tables';

/** What a bulk body looks like, for people. */
export function shapeOf(field: BulkField): string {
  return `{ "${field}": [ … ] }`;
}

/**
 * Checks the shape of a bulk body, tables and columns, and hands the rows on as they are: rows have rules of their own,
 * and walking through a hundred thousand of them once is enough.
 */
abstract class BulkBodyPipe implements PipeTransform<unknown, TableBatch[]> {
  protected constructor(
    private readonly limits: Config['tables'],
    private readonly type: Type<object>,
    private readonly field: BulkField,
    /** The entity of a single surface. */
    private readonly entity?: EntityKind,
  ) {}

  transform(body: unknown): TableBatch[] {
    this.requireField(body);
    const { outline, items } = this.withoutItems(body);
    const tables = (validateDto(this.type, outline) as Record<string, TableInputDto[]>)[this.field]!;
    const errors = tables.flatMap((table, position) => this.entityFaults(table, `${this.field}[${position}].type`));
    if (errors.length > 0) throw new InvalidRequestError(errors);
    return tables.map((table, position) => ({
      entity: this.entity ?? toEntityKind(table.type!),
      name: table.name,
      columns: table.columns?.map(definitionOf),
      items: items[position]!,
    }));
  }

  /** Without its one field nothing else about a body is of interest; one that is empty, or not there, has none. */
  private requireField(body: unknown): void {
    if (typeof body === 'object' && body !== null && Object.hasOwn(body, this.field)) return;
    const message = `The body must be ${shapeOf(this.field)}.`;
    throw new InvalidRequestError([{ field: this.field, code: 'required', message }], message);
  }

  /** The body with empty lists in place of its rows, and the rows. */
  private withoutItems(body: unknown): { outline: unknown; items: unknown[][] } {
    const tables = (body as Record<string, unknown> | undefined)?.[this.field];
    if (!Array.isArray(tables)) return { outline: body ?? {}, items: [] };
    this.refuseTooMany(tables);
    const items: unknown[][] = [];
    const outlines = (tables as unknown[]).map((table, position) => {
      const rows = (table as { items?: unknown } | null)?.items;
      if (!Array.isArray(rows)) return table;
      items[position] = rows as unknown[];
      return { ...(table as object), items: [] };
    });
    // In its place, and not in a copy: a body of a million strange fields takes seconds to copy, and is refused anyway.
    (body as Record<string, unknown>)[this.field] = outlines;
    return { outline: body, items };
  }

  /** Before the shapes are looked at: looking at a million of them takes a minute. */
  private refuseTooMany(tables: readonly unknown[]): void {
    const { bulkMaxTables, maxColumns } = this.limits;
    if (tables.length > bulkMaxTables) throw new BatchTooLargeError('tables', bulkMaxTables, tables.length);
    for (const table of tables as (Partial<Record<'name' | 'columns', unknown>> | null)[]) {
      if (!Array.isArray(table?.columns) || table.columns.length <= maxColumns) continue;
      const message = `A table has at most ${maxColumns} columns; ${table.columns.length} were sent.`;
      const name = typeof table.name === 'string' ? table.name.slice(0, 255) : '';
      const fault = { table: name, code: 'too_many_columns', message };
      throw new InvalidTablesError('invalid_columns', 'A table has too many columns; nothing was stored.', [fault]);
    }
  }

  private entityFaults(table: TableInputDto, field: string): FieldError[] {
    if (!this.entity && !table.type)
      return [{ field, code: 'required', message: 'type is needed: location, asset or list.' }];
    if (!this.entity || !table.type || toEntityKind(table.type) === this.entity) return [];
    return [{ field, code: 'invalid_field', message: `type must be ${this.entity} here, or be left out.` }];
  }
}

function definitionOf({ options, ...column }: NonNullable<TableInputDto['columns']>[number]): ColumnDefinition {
  if (!options) return column;
  const { target, ...rest } = options;
  return {
    ...column,
    options: target ? { ...rest, target: { entity: toEntityKind(target.entity), table: target.table } } : rest,
  };
}

@Injectable()
export class LocationsBodyPipe extends BulkBodyPipe {
  constructor({ tables }: Config) {
    super(tables, BulkLocationsDto, 'locations', 'location');
  }
}

@Injectable()
export class AssetsBodyPipe extends BulkBodyPipe {
  constructor({ tables }: Config) {
    super(tables, BulkAssetsDto, 'assets', 'asset');
  }
}

@Injectable()
export class ListsBodyPipe extends BulkBodyPipe {
  constructor({ tables }: Config) {
    super(tables, BulkListsDto, 'lists', 'list');
  }
}

@Injectable()
export class TablesBodyPipe extends BulkBodyPipe {
  constructor({ tables }: Config) {
    super(tables, BulkTablesDto, 'tables');
  }
}
