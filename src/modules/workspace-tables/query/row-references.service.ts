import { Injectable } from '@nestjs/common';
import type { RowReferenceDto } from './dto/row-reference.dto.js';
import { type RowReference, RowLookupService, type TableRow } from './row-lookup.service.js';
import { AmbiguousRowError, UnknownRowError, UnknownTableError } from '../workspace-tables.errors.js';

/** The rows that a record refers to, as callers send them; null removes a reference. */
export interface NamedRows {
  location?: string | null;
  /** Table of the location: its name or ID. */
  locationKey?: string | null;
  asset?: string | null;
  /** Table of the asset: its name or ID. */
  assetKey?: string | null;
}

/** The references as records store them. */
export interface RowColumns {
  locationTableId: string | null;
  locationKey: string | null;
  assetTableId: string | null;
  assetKey: string | null;
}

/** Locations and assets that records, such as notes and tags, refer to. */
@Injectable()
export class RowReferencesService {
  constructor(private readonly rows: RowLookupService) {}

  /**
   * Resolves named rows to columns; omitted fields are absent. Within a transaction the rows are locked, so that their keys
   * cannot change until it ends. Lock an existing record after this call, in the order of a rename, to prevent deadlocks.
   *
   * @throws {UnknownRowError | AmbiguousRowError}
   */
  async resolve(workspaceId: string, named: NamedRows): Promise<Partial<RowColumns>> {
    const columns: Partial<RowColumns> = {};
    if (named.location !== undefined || named.locationKey) {
      const row = await this.resolveRow(workspaceId, 'location', named.location, named.locationKey);
      columns.locationTableId = row?.tableId ?? null;
      columns.locationKey = row?.key ?? null;
    }
    if (named.asset !== undefined || named.assetKey) {
      const row = await this.resolveRow(workspaceId, 'asset', named.asset, named.assetKey);
      columns.assetTableId = row?.tableId ?? null;
      columns.assetKey = row?.key ?? null;
    }
    return columns;
  }

  /** Replaces the stored references in records of one workspace by DTOs with the names of the rows. Runs one statement per table. */
  async expandReferences<T extends RowColumns>(
    workspaceId: string,
    records: readonly T[],
  ): Promise<(Omit<T, keyof RowColumns> & { location: RowReferenceDto | null; asset: RowReferenceDto | null })[]> {
    const references = records.flatMap(({ locationTableId, locationKey, assetTableId, assetKey }) => [
      toReference(locationTableId, locationKey),
      toReference(assetTableId, assetKey),
    ]);
    const names = await this.rows.findNames(
      workspaceId,
      references.filter((reference) => reference !== null),
    );
    return records.map(({ locationTableId, locationKey, assetTableId, assetKey, ...record }) => ({
      ...record,
      location: toReferenceDto(toReference(locationTableId, locationKey), names),
      asset: toReferenceDto(toReference(assetTableId, assetKey), names),
    }));
  }

  private async resolveRow(
    workspaceId: string,
    field: 'location' | 'asset',
    key: string | null | undefined,
    table: string | null | undefined,
  ): Promise<RowReference | null> {
    const tableField = `${field}Key`;
    const isTableNamed = table !== null && table !== undefined;
    if (key === null || key === undefined) {
      if (isTableNamed) throw new UnknownRowError(tableField, 'required', `"${tableField}" requires "${field}".`);
      return null;
    }
    const found = await this.rows.lockByKey(workspaceId, field, key, table ?? undefined).catch((error: unknown) => {
      if (error instanceof UnknownTableError) throw new UnknownRowError(tableField, error.code, error.message);
      throw error;
    });
    const [row, ...others] = found;
    if (!row) {
      const message = `No ${field} has the key "${key.slice(0, 255)}"${isTableNamed ? ' in that table' : ''}.`;
      throw new UnknownRowError(field, 'not_found', message);
    }
    if (others.length > 0) {
      const tables = found.map((each) => each.table);
      throw new AmbiguousRowError(field, tableField, key, tables);
    }
    return { tableId: row.tableId, key: row.key };
  }
}

function toReference(tableId: string | null, key: string | null): RowReference | null {
  return tableId !== null && key !== null ? { tableId, key } : null;
}

function toReferenceDto(reference: RowReference | null, names: ReadonlyMap<string, TableRow>): RowReferenceDto | null {
  if (!reference) return null;
  const { table = null, name = null } = names.get(RowLookupService.toMapKey(reference)) ?? {};
  return { ...reference, table, name };
}
