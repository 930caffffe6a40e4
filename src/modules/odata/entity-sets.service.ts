import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../../packages/errors/src/domain-error.js';
import type { TableRef } from '../../../packages/tables/src/catalog/table-ref.js';
import { NoteQueriesService } from '../notes/note-queries.service.js';
import { NoteTablesService } from '../notes/note-tables.service.js';
import { callerView } from '../workspace-tables/catalog/caller-view.js';
import { type PageQuery, QueryRowsService, type RowsVersion } from '../workspace-tables/query/query-rows.service.js';
import { type TableDefinition, TableDefinitionsService } from '../workspace-tables/query/table-definitions.service.js';
import { describeEntitySet, type EntitySet } from './edm.js';
import type { FindSet } from './filter-translation.js';
import { NOTES_SET, parseSetName } from './identifiers.js';

type ReadPage = (
  query: PageQuery,
  isKnown?: (version: RowsVersion) => boolean,
) => Promise<Partial<Awaited<ReturnType<QueryRowsService['list']>>>>;

/** An entity set, and how it is read. */
export interface FoundSet {
  set: EntitySet;
  /** Finds what its navigation properties lead to. */
  findSet: FindSet;
  /** The table of the entities; undefined for notes, which have neither revisions nor a change feed. */
  ref: TableRef | undefined;
  /** As `QueryRowsService.list`. */
  read: ReadPage;
}

/** The entity sets of a workspace that the caller may read: its tables, and its notes. */
@Injectable()
export class EntitySetsService {
  constructor(
    private readonly definitions: TableDefinitionsService,
    private readonly rows: QueryRowsService,
    private readonly notes: NoteQueriesService,
    private readonly noteTables: NoteTablesService,
  ) {}

  async list(workspaceId: string): Promise<EntitySet[]> {
    const tables = await this.definitions.list(workspaceId);
    const notes = await this.noteTables.define(workspaceId);
    return [...tables.map((table) => describeEntitySet(table, tables)), this.describeNotes(notes, tables)];
  }

  /**
   * @param withNavigation are navigation properties used? The other tables are read only then.
   * @throws {NotFoundError}
   */
  async get(workspaceId: string, name: string, withNavigation: boolean): Promise<FoundSet> {
    const isNotes = name === NOTES_SET;
    const found = isNotes ? await this.noteTables.define(workspaceId) : await this.findTable(workspaceId, name);
    const tables = found && withNavigation ? await this.definitions.list(workspaceId) : [];
    const table = tables.find(({ id }) => id === found?.id) ?? found;
    const set = table && (isNotes ? this.describeNotes(table, tables) : describeEntitySet(table, tables));
    // A name in another letter case is another identifier.
    if (set?.name !== name) throw new NotFoundError('The entity set', undefined, '/$metadata lists them.');
    const findSet: FindSet = (from, navigation) => {
      const target = from.navigation.find((each) => each.name === navigation)?.target;
      return target && describeEntitySet(target, tables);
    };
    const ref = isNotes ? undefined : { view: callerView(workspaceId), entity: set.table.entity, table: set.table.id };
    const read: ReadPage = (query, isKnown) =>
      ref ? this.rows.list(ref, query, isKnown) : this.notes.list(workspaceId, query);
    return { set, findSet, ref, read };
  }

  private describeNotes(notes: TableDefinition, tables: readonly TableDefinition[]): EntitySet {
    return describeEntitySet(notes, tables, NOTES_SET, this.noteTables.instants);
  }

  private async findTable(workspaceId: string, name: string): Promise<TableDefinition | undefined> {
    const named = parseSetName(name);
    return named && this.definitions.find(workspaceId, named.entity, named.table);
  }
}
