import { Injectable } from '@nestjs/common';
import type { CatalogTable } from '../../../packages/tables/src/catalog/catalog-table.js';
import { Literals } from '../../../packages/tables/src/reader/bindings.js';
import { callerMay } from '../../platform/security/caller-policies.js';
import { RowReferencesService } from '../workspace-tables/query/row-references.service.js';
import { callerView } from '../workspace-tables/catalog/caller-view.js';
import { type TableDefinition, TableDefinitionsService } from '../workspace-tables/query/table-definitions.service.js';
import { UsersService } from '../users/users.service.js';
import { READS_ROWS } from './note-field-values.js';
import { NoteLocations } from './note-locations.js';
import { findByKey } from './note-rules.js';
import { NoteRulesService } from './note-rules.service.js';
import { compileSelection, type NoteConditions } from './note-search.repository.js';
import { INSTANTS, type NoteTable, toNoteTable, withNotes } from './note-table.js';

/** Describes the notes of a workspace as a table of the engine. */
@Injectable()
export class NoteTablesService {
  /** The keys of the fields whose values are all instants. */
  readonly instants = INSTANTS;

  constructor(
    private readonly rules: NoteRulesService,
    private readonly rows: RowReferencesService,
    private readonly locations: NoteLocations,
    private readonly definitions: TableDefinitionsService,
    private readonly users: UsersService,
  ) {}

  /** @param isWhole see `toNoteTable`. */
  async describe(workspaceId: string, isWhole = false): Promise<NoteTable> {
    const rules = await this.rules.get(workspaceId);
    // Notes can be read without the scope of tables: their filters have no paths through rows then.
    const named = callerMay(workspaceId, READS_ROWS) ? rules.fields : [];
    const ids = named.flatMap(({ tableId }) => tableId ?? []);
    return toNoteTable(callerView(workspaceId), rules, await this.rows.listTables(workspaceId, ids), isWhole);
  }

  /**
   * The notes that match, exist for the caller and are not archived.
   *
   * @param query without values that are instants
   * @param isWhole see `toNoteTable`.
   * @throws {InvalidRequestError | UnknownTableError}
   */
  async select(workspaceId: string, query: NoteConditions = {}, isWhole = false): Promise<CatalogTable> {
    const rows = await this.locations.select([workspaceId], query);
    const literals = new Literals();
    const bind = (value: unknown) => literals.bind(value as string);
    const conditions = compileSelection(workspaceId, query, rows, bind);
    return withNotes(await this.describe(workspaceId, isWhole), conditions);
  }

  /**
   * The query with the values that notes store: types in their letter case; the ID and the email address of each
   * person, because the notes that are older than a field of type `user` have an address.
   */
  async resolve<Query extends NoteConditions>(
    workspaceIds: readonly string[],
    query: Query,
    callerId: string | null,
  ): Promise<Query> {
    const resolved = { ...query };
    for (const field of ['assignee', 'reporter'] as const) {
      const sent = query[field]?.map((name) => (name === 'me' && callerId !== null ? callerId : name));
      if (sent) resolved[field] = sent;
      for (const workspaceId of sent ? workspaceIds : []) {
        const members = await this.users.listMembers(workspaceId, sent!);
        resolved[field] = [...resolved[field]!, ...members.flatMap(({ id, email }) => [id, email])];
      }
    }
    for (const workspaceId of query.type ? workspaceIds : []) {
      const { types } = await this.rules.get(workspaceId);
      resolved.type = [...resolved.type!, ...query.type!.flatMap((name) => findByKey(types, name)?.key ?? [])];
    }
    return resolved;
  }

  /** The fields of notes, for modules that describe tables in their own way. */
  async define(workspaceId: string): Promise<TableDefinition> {
    const { table } = await this.describe(workspaceId);
    return { ...this.definitions.describe(table), hasChanges: false };
  }
}
