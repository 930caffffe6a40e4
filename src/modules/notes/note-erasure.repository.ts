import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Erasures } from '../../platform/database/erasures.js';
import type { ErasedPerson, ErasureStep, ToRowErasure } from '../../platform/database/erased-person.js';
import { buildWordQuery, PREFIX_LENGTH, toIndexEntries } from './note-words.js';
import { NoteEvent } from './note-event.entity.js';
import type { Note } from './note.entity.js';

type NoteTexts = Pick<Note, 'id' | 'title' | 'description'>;

/** Notes that one step reads. */
const STEP_NOTES = 500;

/** Erases names in the history of notes, and corrects the words of notes after names in their texts were erased. */
@Injectable()
export class NoteErasureRepository implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly erasures: Erasures,
  ) {}

  onModuleInit(): void {
    this.erasures.registerRows(NoteEvent, eraseChangedNames);
    this.erasures.registerWorkspaceErasure((...args) => this.eraseWords(...args));
  }

  private async eraseWords(workspaceId: string, { names }: ErasedPerson, step: ErasureStep): Promise<undefined> {
    for (const name of names) {
      const query = buildWordQuery(workspaceId.slice(-PREFIX_LENGTH), name);
      let after: string | undefined;
      do after = query === '' ? undefined : await step(() => this.update(workspaceId, query, after));
      while (after);
    }
  }

  /** @returns the ID of the last note of the step; undefined after the last step. */
  private async update(workspaceId: string, query: string, after: string | undefined): Promise<string | undefined> {
    const notes = await this.database.query<NoteTexts>(
      `SELECT id, title, description FROM notes
        WHERE workspace_id = $1 AND words @@ $2::tsquery AND ($3::uuid IS NULL OR id > $3)
        ORDER BY id LIMIT $4 FOR UPDATE`,
      [workspaceId, query, after ?? null, STEP_NOTES],
    );
    await this.database.affected(
      `UPDATE notes n SET words = changed.words::tsvector FROM unnest($2::uuid[], $3::text[]) AS changed (id, words)
        WHERE n.workspace_id = $1 AND n.id = changed.id AND n.words <> changed.words::tsvector`,
      [
        workspaceId,
        notes.map(({ id }) => id),
        notes.map(({ title, description }) => toVector(toIndexEntries(workspaceId, title, description))),
      ],
    );
    return notes.length < STEP_NOTES ? undefined : notes.at(-1)!.id;
  }
}

/** A `tsvector` as text. Words contain neither quotes nor backslashes. */
function toVector(entries: readonly string[]): string {
  return entries.map((entry) => `'${entry}'`).join(' ');
}

/** A name of one word that was the value of a field: as JSON without an attribute, it could also be a status. */
const eraseChangedNames: ToRowErasure = ({ names, pseudonym }, bind) => {
  if (names.length === 0) return undefined;
  const lowerNames = bind(names.map((name) => name.toLowerCase()));
  const value = bind(pseudonym);
  const isName = (column: string) => `coalesce(lower(t.${column} #>> '{}') = ANY (${lowerNames}::text[]), false)`;
  const replace = (column: string) =>
    `${column} = CASE WHEN ${isName(column)} THEN to_jsonb(${value}::text) ELSE t.${column} END`;
  return {
    condition: `(t.field IN ('assignee', 'reporter') OR t.field LIKE 'fields.%') AND (${isName('"from"')} OR ${isName('"to"')})`,
    assignments: [replace('"from"'), replace('"to"')],
  };
};
