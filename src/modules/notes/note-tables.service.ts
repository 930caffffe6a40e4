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

  async describe(workspaceId: string): Promise<NoteTable> {
    const rules = await this.rules.get(workspaceId);
    // Notes can be read without the scope of tables: their filters have no paths through rows then.
    const named = callerMay(workspaceId, READS_ROWS) ? rules.fields : [];
    const ids = named.flatMap(({ tableId }) => tableId ?? []);
    return toNoteTable(callerView(workspaceId), rules, await this.rows.listTables(workspaceId, ids));
  }

  /**
   * The notes that match, exist for the caller and are not archived.
   *
   * @param query without values that are instants
   * @throws {InvalidRequestError | UnknownTableError}
   */
  async select(workspaceId: string, query: NoteConditions = {}): Promise<CatalogTable> {
    const rows = await this.locations.select([workspaceId], query);
    const literals = new Literals();
    const bind = (value: unknown) => literals.bind(value as string);
    return withNotes(await this.describe(workspaceId), compileSelection(workspaceId, query, rows, bind));
  }

  /** The query with the ID and the email address of the caller for the assignee `me`. */
  async replaceMe<Query extends NoteConditions>(query: Query, callerId: string | null): Promise<Query> {
    const { assignee } = query;
    if (!assignee?.includes('me') || callerId === null) return query;
    const { email } = await this.users.get(callerId);
    return { ...query, assignee: [...assignee.filter((each) => each !== 'me'), callerId, email] };
  }

  /** The fields of notes, for modules that describe tables in their own way. */
  async define(workspaceId: string): Promise<TableDefinition> {
    const { table } = await this.describe(workspaceId);
    return { ...this.definitions.describe(table), hasChanges: false };
  }
}
