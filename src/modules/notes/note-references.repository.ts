import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { ExternalReferenceDto } from './dto/save-note.dto.js';
import type { Note } from './note.entity.js';

/** A reference with the note that has it. */
interface TakenReference {
  system: string;
  id: string;
  noteId: string;
  number: number;
}

/** The external references of notes, each of which belongs to one note of its workspace. */
@Injectable()
export class NoteReferencesRepository {
  constructor(private readonly database: Database) {}

  /** Those of the references that other notes have. */
  async findTaken(
    { workspaceId, id }: Pick<Note, 'workspaceId' | 'id'>,
    references: readonly ExternalReferenceDto[],
  ): Promise<TakenReference[]> {
    if (references.length === 0) return [];
    return this.database.query<TakenReference>(
      `SELECT r.system, r.id, n.number::float8 AS number, n.id AS "noteId"
         FROM note_external_references r JOIN notes n ON n.workspace_id = r.workspace_id AND n.id = r.note_id
        WHERE r.workspace_id = $1 AND r.note_id <> $2
          AND (r.system, r.id) IN (SELECT * FROM unnest($3::text[], $4::text[]))
        ORDER BY r.system, r.id`,
      [workspaceId, id, references.map(({ system }) => system), references.map((each) => each.id)],
    );
  }

  /** After a unique violation, by a concurrent transaction with the same reference, the transaction is repeated. */
  async replace(
    { workspaceId, id }: Pick<Note, 'workspaceId' | 'id'>,
    references: readonly ExternalReferenceDto[],
  ): Promise<void> {
    const removal = 'DELETE FROM note_external_references WHERE workspace_id = $1 AND note_id = $2';
    await this.database.affected(removal, [workspaceId, id]);
    await this.database.affected(
      `INSERT INTO note_external_references (workspace_id, note_id, system, id)
       SELECT $1, $2, system, id FROM unnest($3::text[], $4::text[]) AS reference (system, id) ORDER BY system, id`,
      [workspaceId, id, references.map(({ system }) => system), references.map((each) => each.id)],
    );
  }
}
