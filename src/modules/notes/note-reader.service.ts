import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Directory } from '../../platform/database/directory.js';
import { encodeCursor } from '../../platform/http/cursor.js';
import { InvalidRequestError, NotFoundError } from '../../platform/http/domain-error.js';
import type { Page } from '../../platform/http/page.dto.js';
import { type RowColumns, RowReferencesService } from '../workspace-tables/query/row-references.service.js';
import { RowLookupService } from '../workspace-tables/query/row-lookup.service.js';
import { AttachmentsService } from '../attachments/attachments.service.js';
import { ListWorkspaceNotesDto } from './dto/list-notes.dto.js';
import type { NoteDto } from './dto/note.dto.js';
import type { Reach } from './note-input.js';
import { identityOf, pageSql, placeOf, type RowsNamed } from './notes-query.js';

const COLUMNS = `
  id, workspace_id AS "workspaceId", number::float8 AS number, external_id AS "externalId", title, description, status,
  priority, assignee, reporter, scheduled_date AS "scheduledDate", due_date AS "dueDate", closed_at AS "closedAt",
  project_id AS "projectId", tag_id AS "tagId", tour_id AS "tourId", location_table_id AS "locationTableId",
  location_key AS "locationKey", asset_table_id AS "assetTableId", asset_key AS "assetKey", custom_fields AS "customFields",
  message_count AS "messageCount", last_message_at AS "lastMessageAt", source, archived_at AS "archivedAt", version,
  created_at AS "createdAt", created_by AS "createdBy", updated_at AS "updatedAt", updated_by AS "updatedBy"`;

interface Found extends Omit<NoteDto, 'location' | 'asset' | 'files'>, RowColumns {}

/** Reads notes as callers see them: with their files, and with the rows that they are filed against. */
@Injectable()
export class NoteReaderService {
  constructor(
    private readonly database: Database,
    private readonly directory: Directory,
    private readonly attachments: AttachmentsService,
    private readonly rows: RowLookupService,
    private readonly places: RowReferencesService,
  ) {}

  /**
   * The workspace of a note that is known by its id alone.
   *
   * @throws {NotFoundError} where it is not within reach.
   */
  async getWorkspace(reach: Reach, id: string): Promise<string> {
    const workspaceId = await this.directory.findWorkspace('note', id.toLowerCase());
    if (workspaceId === undefined || (reach !== 'any' && !reach.includes(workspaceId)))
      throw new NotFoundError('The note');
    return workspaceId;
  }

  /** @throws {NotFoundError} */
  async get(workspaceId: string, id: string): Promise<NoteDto> {
    const sql = `SELECT ${COLUMNS} FROM notes WHERE workspace_id = $1 AND id = $2`;
    const [note] = await this.complete(await this.database.query<Found>(sql, [workspaceId, id]));
    if (!note) throw new NotFoundError('The note');
    return note;
  }

  /** A page of the notes that match. @throws {InvalidRequestError | InvalidCursorError | UnknownTableError} */
  async list(workspaceIds: readonly string[], query: ListWorkspaceNotesDto): Promise<Page<NoteDto>> {
    const { sql, parameters } = pageSql(COLUMNS, workspaceIds, query, await this.rowsNamed(workspaceIds, query));
    const found = await this.database.query<Found>(sql, parameters);
    const items = await this.complete(found.slice(0, query.limit));
    const hasMore = found.length > query.limit;
    const last = items.at(-1);
    const nextCursor =
      hasMore && last
        ? encodeCursor(identityOf(workspaceIds, query), [placeOf(query.sort ?? '-createdAt', last), last.id])
        : null;
    return { items, hasMore, nextCursor };
  }

  /** The rows whose notes are asked for. Their tables are of one workspace, so that one must be named. */
  private async rowsNamed(workspaceIds: readonly string[], query: ListWorkspaceNotesDto): Promise<RowsNamed> {
    const { location, under, locationKey, asset, assetKey } = query;
    if (location === undefined && under === undefined && asset === undefined) return {};
    const [workspaceId, ...others] = workspaceIds;
    if (workspaceId === undefined || others.length > 0) {
      const message = 'workspaceId is needed with location, under and asset by callers of several workspaces.';
      throw new InvalidRequestError([{ field: 'workspaceId', code: 'required', message }]);
    }
    const named: RowsNamed = {};
    if (under !== undefined) named.location = await this.rows.findSubtree(workspaceId, under, locationKey);
    else if (location !== undefined) named.location = await this.atKey(workspaceId, 'location', location, locationKey);
    if (asset !== undefined) named.asset = await this.atKey(workspaceId, 'asset', asset, assetKey);
    return named;
  }

  private async atKey(workspaceId: string, entity: 'location' | 'asset', key: string, table?: string) {
    const found = await this.rows.lockByKey(workspaceId, entity, key, table);
    return found.map((row) => ({ tableId: row.tableId, keys: [row.key] }));
  }

  /** With files and names, in a few statements for all of them. */
  private async complete(found: readonly Found[]): Promise<NoteDto[]> {
    const notes = new Map<string, NoteDto>();
    for (const workspaceId of new Set(found.map((note) => note.workspaceId))) {
      const ofWorkspace = found.filter((note) => note.workspaceId === workspaceId);
      const files = await this.attachments.listByOwners(
        workspaceId,
        ofWorkspace.map(({ id }) => id),
      );
      for (const note of await this.places.show(workspaceId, ofWorkspace))
        notes.set(note.id, { ...note, files: files.get(note.id) ?? [] });
    }
    return found.map(({ id }) => notes.get(id)!);
  }
}
