import { Injectable } from '@nestjs/common';
import { quoteLiteral } from '../../../../packages/sql/src/sql-literal.js';
import { KEY_TYPES, Keyset } from '../../../../packages/sql/src/keyset.js';
import { ExpensiveReads } from '../../../platform/http/expensive-reads.js';
import type { PageQueryDto } from '../../../platform/http/page.dto.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import {
  type Constraint,
  describeViolation,
  listConstraints,
} from '../../../../packages/tables/src/catalog/column-constraints.js';
import { ConstraintsRepository } from '../../../../packages/tables/src/catalog/constraints.repository.js';
import { toTableSummary } from '../catalog/dto/table-summary.dto.js';
import type { ViolationCountDto } from '../catalog/dto/violation.dto.js';
import { physicalKeyName } from '../../../../packages/tables/src/catalog/physical-table.js';
import type { TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import { mayBeUnresolved } from '../../../../packages/tables/src/catalog/column-types.js';
import { ReferenceLookup } from '../../../../packages/tables/src/catalog/reference-targets.js';
import { ReplicaReads } from '../catalog/replica-reads.js';
import { type UnresolvedPageDto, UnresolvedQueryDto } from './dto/unresolved-references.dto.js';
import { getColumn } from '../../../../packages/tables/src/catalog/column-finder.js';
import {
  REFERENCE_KEYSET,
  UnresolvedReferencesRepository,
} from '../../../../packages/tables/src/reader/unresolved-references.repository.js';
import type { ViolationsPageDto } from './dto/violations.dto.js';

/** The constraint of the last violation by its position, and the row. */
const VIOLATION_KEYSET = new Keyset([KEY_TYPES.count, KEY_TYPES.text]);

/**
 * Stored rows that violate constraints of their columns (warnings, and rows older than the constraint), and references
 * whose target row does not exist (specification, section 4.5).
 */
@Injectable()
export class RowDefectsService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly constraints: ConstraintsRepository,
    private readonly references: UnresolvedReferencesRepository,
    private readonly replica: ReplicaReads,
    private readonly lookup: ReferenceLookup,
    private readonly reads: ExpensiveReads,
  ) {}

  /** Ordered by row key and column. @throws {NotFoundError | InvalidCursorError} */
  listViolations(ref: TableRef, query: PageQueryDto): Promise<ViolationsPageDto> {
    return this.reads.run(() => this.catalog.read(ref, (table) => this.readViolations(table, query)));
  }

  private async readViolations(table: CatalogTable, { limit, cursor }: PageQueryDto): Promise<ViolationsPageDto> {
    const constraints = listConstraints(table);
    const identity = ['violations', table.id, constraints.map(toName)];
    const after = VIOLATION_KEYSET.decode<[position: number, key: string]>(identity, cursor);
    const [lastPosition = 0, lastKey] = after ?? [];
    const condition = after && `r.${physicalKeyName(table)} >= ${quoteLiteral(after[1])}`;
    // The row of the cursor is read again, because it may violate further constraints.
    const read = after ? limit + constraints.length : limit;
    const found = await this.constraints.find(table, { condition, constraints }, read + 1);
    const positionOf = (constraint: Constraint) => constraints.indexOf(constraint);
    const isAfter = ({ key, constraint }: { key: string; constraint: Constraint }) =>
      key !== lastKey || positionOf(constraint) > lastPosition;
    const following = found.filter(isAfter);
    const page = VIOLATION_KEYSET.toPage(
      { items: following.slice(0, limit), hasMore: following.length > limit },
      identity,
      (item) => [positionOf(item.constraint), item.key],
    );
    const items = page.items.map((item) => {
      return { key: item.key, level: item.constraint.level, ...describeViolation(item) };
    });
    return { table: toTableSummary(table), counts: after ? undefined : await this.count(table), ...page, items };
  }

  private async count(table: CatalogTable): Promise<ViolationCountDto[]> {
    const constraints = listConstraints(table);
    const counts = await this.constraints.count(table, { constraints });
    return constraints.map(({ column, others, rule, level }, position) => {
      const columns = others && [column, ...others].map(({ key }) => key);
      return { column: column.key, columns, rule, level, rows: counts[position]! };
    });
  }

  /** Ordered by column and row key. @throws {NotFoundError | InvalidQueryError | InvalidCursorError} */
  async listUnresolved(ref: TableRef, query: UnresolvedQueryDto): Promise<UnresolvedPageDto> {
    const read = () => this.catalog.read(ref, (table) => this.readUnresolved(table, query));
    const list = () => this.catalog.listAll(ref.view);
    return this.reads.run(async () => (await this.replica.read(list, read)) ?? (await read()));
  }

  private async readUnresolved(
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

function toName({ column, others = [], rule }: Constraint): string {
  return `${[column, ...others].map(({ key }) => key).join(' ')} ${rule}`;
}
