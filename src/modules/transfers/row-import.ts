import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { SQLSTATE, translateSqlState } from '../../../packages/sql/src/sql-state.js';
import { parseStoredJson } from '../../../packages/sql/src/stored-json.js';
import { isUuid } from '../../../packages/sql/src/uuid.js';
import { COLUMN_TYPES } from '../../../packages/tabular/src/coercions.js';
import { type CatalogColumn, isColumnKey } from '../../../packages/tables/src/catalog/column-plan.js';
import { findInvalidOptions } from '../../../packages/tables/src/catalog/column-types.js';
import { ROLES } from '../../platform/security/roles.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import { UsersService } from '../users/users.service.js';
import { StoredTablesService } from '../workspace-tables/admin/stored-tables.service.js';
import { type ExportedTable, type Manifest } from './manifest.js';
import type { TransferTable } from './transfer-tables.js';
import { DamagedExportError, ExportTooNewError, TRANSFER_ERRORS, WorkspaceExistsError } from './transfers.errors.js';
import { TransfersRepository } from './transfers.repository.js';
import { toMemberName } from './workspace-export.service.js';

const UUIDS = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

/** IDs that an import skips at most, so that those of all workspaces last. */
const MAX_SKIPPED_IDS = 10_000_000;

/** The rows of one import. */
interface RunningImport {
  manifest: Manifest;
  /** Replaces that of the export. */
  slug: string | undefined;
  tables: ReadonlyMap<string, ExportedTable>;
  /** The tables of this service that an export contains. */
  fixed: ReadonlyMap<string, TransferTable>;
  /** The IDs of the exported persons in this service. */
  userIds: string[];
  /** By the ID in the export, the other ID that the person with this email address has in this service. */
  knownUsers: Map<string, string>;
  /** The physical tables by the names of their members. Undefined until they are created. */
  physical: Map<string, string> | undefined;
  /** For subscriptions, which have none in an export. */
  secret: Buffer;
  /** Entries of the audit log that the workspace has before the import. */
  formerEntries: number;
}

/** Inserts the rows of an export, in the open transaction. */
@Injectable()
export class RowImport {
  constructor(
    private readonly repository: TransfersRepository,
    private readonly tables: StoredTablesService,
    private readonly users: UsersService,
    private readonly subscriptions: SubscriptionsService,
  ) {}

  /** @throws {ExportTooNewError | DamagedExportError} */
  async start(manifest: Manifest, slug: string | undefined): Promise<RunningImport> {
    const tables = new Map(manifest.tables.map((table) => [table.name, table]));
    if (tables.get('workspaces')?.rows !== 1) throw new DamagedExportError('it has not exactly one workspace');
    const listed = (await this.repository.listTables()).filter(({ isOmitted }) => !isOmitted);
    const fixed = new Map(listed.map((table) => [table.name, table]));
    for (const { name, columns } of manifest.tables.filter(({ name }) => !isPhysical(name))) {
      const known = fixed.has(name) ? await this.repository.listColumns(name) : [];
      const unknown = columns.find((column) => !known.includes(column));
      if (unknown !== undefined) throw new ExportTooNewError(`The column ${name}.${unknown}`);
      const omitted = columns.find((column) => fixed.get(name)!.omit?.includes(column));
      if (omitted !== undefined) throw new DamagedExportError(`no export has the column ${name}.${omitted}`);
    }
    const secret = this.subscriptions.createUnknownSecret();
    const formerEntries = await this.repository.count(manifest.workspace.id, 'auth_events');
    const [knownUsers, userIds] = [new Map<string, string>(), [] as string[]];
    return { manifest, slug, tables, fixed, userIds, knownUsers, physical: undefined, secret, formerEntries };
  }

  /**
   * @param lines those of one member. The members of a table follow those of tables to which it refers; those of
   *   physical tables are last.
   * @throws {WorkspaceExistsError | DamagedExportError | DomainError} `record_exists`
   */
  async insert(running: RunningImport, name: string, lines: Buffer): Promise<void> {
    const table = running.tables.get(name)!;
    const rows = `[${lines.toString().trimEnd().replaceAll('\n', ',')}]`;
    requireWritable(name, rows);
    if (name === 'users') await this.addUsers(running, rows);
    const secret = name === 'subscriptions' ? running.secret : undefined;
    const fixed = running.fixed.get(name);
    const source = { name: await this.getTableName(running, table), columns: table.columns, table: fixed };
    // Another import of the workspace may have committed meanwhile.
    const toExisting = (cause: unknown) =>
      name === 'workspaces'
        ? new WorkspaceExistsError(running.manifest.workspace.id)
        : new DomainError(TRANSFER_ERRORS.record_exists, undefined, { cause });
    const toIncomplete = (cause: unknown) => new DamagedExportError(`${name} refers to rows that it lacks`, cause);
    await this.repository
      .insertRows(source, adapt(running, name, rows), secret, name === 'users')
      .catch(translateSqlState(SQLSTATE.uniqueViolation, toExisting))
      .catch(translateSqlState(SQLSTATE.foreignKeyViolation, toIncomplete));
  }

  /** What follows the last row. @throws {DamagedExportError} if not all rows belong to the workspace. */
  async finish(running: RunningImport): Promise<void> {
    await this.createPhysical(running);
    await this.requireOwnRows(running);
    for (const { name, sequence } of running.fixed.values())
      if (sequence) await this.advance(running.manifest.workspace.id, name, sequence);
  }

  /** Later IDs of the sequence are greater than those of the workspace. */
  private async advance(workspaceId: string, table: string, sequence: string): Promise<void> {
    const following = await this.repository.countFollowingIds(workspaceId, table, sequence);
    if (following > MAX_SKIPPED_IDS) throw new DamagedExportError(`${table} has IDs that no service has assigned`);
    await this.repository.skipIds(sequence, following);
  }

  /** An export that was made by hand must not write into other workspaces, such as their members. */
  private async requireOwnRows(running: RunningImport): Promise<void> {
    const { manifest, tables, fixed, userIds, formerEntries } = running;
    for (const [name, table] of fixed) {
      const rows = tables.get(name)?.rows ?? 0;
      // An entry of its removal may precede the import.
      const former = name === 'auth_events' ? formerEntries : 0;
      // Persons may be known before the import.
      const ids = name === 'users' ? userIds : undefined;
      if ((await this.repository.countExported(manifest.workspace.id, table, ids)) !== rows + former)
        throw new DamagedExportError(`${name} has rows of another workspace`);
    }
  }

  /** @throws {DomainError} `record_exists`, if another person has the ID of one, or one was erased after the export. */
  private async addUsers({ knownUsers, userIds }: RunningImport, rows: string): Promise<void> {
    for (const { id, email } of parseStoredJson(rows) as { id: string; email: string }[]) {
      const known = await this.users.findByEmail(email);
      if (known && known.id !== id) knownUsers.set(id, known.id);
      if (!known && (await this.users.find(id))) throw new DomainError(TRANSFER_ERRORS.record_exists);
      userIds.push(known?.id ?? id);
    }
  }

  /** @throws {DamagedExportError} if the catalog has no such table, or other columns. */
  private async getTableName(running: RunningImport, { name, columns }: ExportedTable): Promise<string> {
    if (running.fixed.has(name)) return name;
    const physical = (await this.createPhysical(running)).get(name);
    const known = physical === undefined ? [] : await this.repository.listColumns(physical);
    if (physical !== undefined && columns.every((column) => known.includes(column))) return physical;
    throw new DamagedExportError(`no table has the rows of ${name}`);
  }

  /** The rows of the catalog precede those of physical tables. */
  private async createPhysical(running: RunningImport): Promise<Map<string, string>> {
    if (running.physical) return running.physical;
    const created = await this.tables.create(running.manifest.workspace.id);
    running.physical = new Map(created.map(({ name }) => [toMemberName(name), name]));
    return running.physical;
  }
}

const isPhysical = (table: string) => /^[thd]_[0-9a-f]{32}$/.test(table);

/**
 * Statements contain keys and options of columns, and roles and policies of members are joined to texts: an export that
 * was made by hand must not contain others than the service writes.
 *
 * @throws {DamagedExportError}
 */
function requireWritable(table: string, rows: string): void {
  const isWritable = WRITABLE.get(table);
  if (isWritable && !(parseStoredJson(rows) as Record<string, unknown>[]).every(isWritable))
    throw new DamagedExportError(`${table} has a row that no service has written`);
}

const WRITABLE: ReadonlyMap<string, (row: Record<string, unknown>) => boolean> = new Map([
  ['workspace_members', isWritableMembership],
  ['workspace_columns', (column) => isWritableColumn(column as unknown as CatalogColumn)],
]);

/** A policy with a colon or a comma would be read as roles in further workspaces. */
function isWritableMembership({ role, client_policies: policies }: Record<string, unknown>): boolean {
  return (ROLES as readonly unknown[]).includes(role) && Object.values(policies ?? {}).every(isUuid);
}

function isWritableColumn({ key, type, options }: CatalogColumn): boolean {
  const numbers = [options.minimum, options.maximum, options.minLength, options.maxLength];
  return (
    isColumnKey(key) &&
    (COLUMN_TYPES as readonly unknown[]).includes(type) &&
    numbers.every((value: unknown) => value === undefined || typeof value === 'number') &&
    findInvalidOptions({ key, type }, options).length === 0
  );
}

/** The rows with the slug, and the IDs of persons, of this service. */
function adapt({ slug, knownUsers }: RunningImport, table: string, rows: string): string {
  if (table === 'workspaces' && slug !== undefined)
    return JSON.stringify((parseStoredJson(rows) as object[]).map((row) => ({ ...row, slug })));
  // Cells of tables contain what callers have sent.
  return isPhysical(table) ? rows : rows.replace(UUIDS, (id) => knownUsers.get(id) ?? id);
}
