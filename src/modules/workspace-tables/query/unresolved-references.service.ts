import { Injectable } from '@nestjs/common';
import { ExpensiveReads } from '../../../platform/http/expensive-reads.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { mayBeUnresolved } from '../../../../packages/tables/src/catalog/column-types.js';
import { toTableSummary } from '../catalog/dto/table-summary.dto.js';
import { ReferenceLookup } from '../../../../packages/tables/src/catalog/reference-targets.js';
import { ReplicaReads } from '../catalog/replica-reads.js';
import type { TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import { type UnresolvedPageDto, UnresolvedQueryDto } from './dto/unresolved-references.dto.js';
import { getColumn } from '../../../../packages/tables/src/catalog/column-finder.js';
import {
  REFERENCE_KEYSET,
  UnresolvedReferencesRepository,
} from '../../../../packages/tables/src/reader/unresolved-references.repository.js';

/** References whose target row does not exist (specification, section 4.5). */
@Injectable()
export class UnresolvedReferencesService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly references: UnresolvedReferencesRepository,
    private readonly replica: ReplicaReads,
    private readonly lookup: ReferenceLookup,
    private readonly reads: ExpensiveReads,
  ) {}

  /** Ordered by column and row key. @throws {NotFoundError | InvalidQueryError | InvalidCursorError} */
  async list(ref: TableRef, query: UnresolvedQueryDto): Promise<UnresolvedPageDto> {
    const read = () => this.catalog.read(ref, (table) => this.readPage(table, query));
    const list = () => this.catalog.listAll(ref.view);
    return this.reads.run(async () => (await this.replica.read(list, read)) ?? (await read()));
  }

  private async readPage(
    table: CatalogTable,
    { column: name, limit, cursor }: UnresolvedQueryDto,
  ): Promise<UnresolvedPageDto> {
    const requested = name === undefined ? table.columns : [getColumn(table.columns, 'column', name)];
    const columns = requested.filter(mayBeUnresolved);
    const identity = ['unresolved', table.id, columns.map(({ key }) => key)];
    const after = REFERENCE_KEYSET.decode<[ordinal: number, key: string]>(identity, cursor);
    const targets = await this.lookup.findAllTargets(columns.map((each) => ({ table, column: each })));
    const found = await this.references.list(table, columns, targets, after ?? [], limit);
    const page = REFERENCE_KEYSET.toPage(found, identity, ({ ordinal, key }) => [ordinal, key]);
    const items = page.items.map(({ key, column, value }) => ({ key, column, value }));
    return { table: toTableSummary(table), ...page, items };
  }
}
