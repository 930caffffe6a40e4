import { Injectable } from '@nestjs/common';
import type { Repository } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import { Note } from './note.entity.js';

type ColumnMetadata = Repository<Note>['metadata']['columns'][number];

/** Columns with other values than those of a new note. */
const NOT_OF_NEW_NOTES: ReadonlySet<string> = new Set<keyof Note>([
  'number',
  'messageCount',
  'lastMessageAt',
  'archivedAt',
  'version',
  'createdAt',
  'updatedAt',
]);

/**
 * Converts notes to parameters of SQL and rows of SQL to notes, as TypeORM does. It reads the columns from the entity, so that a
 * new column needs no change of a statement.
 */
@Injectable()
export class NoteColumns {
  /** The columns of a select list or of RETURNING. */
  readonly list: string;
  /** The names of the columns that the creation of a note sets, in the order of `toParameters`. */
  readonly ofNewNotes: readonly string[];
  private readonly selected: readonly ColumnMetadata[];
  private readonly created: readonly ColumnMetadata[];
  private readonly driver;

  constructor(database: Database) {
    const { metadata, manager } = database.repository(Note);
    this.driver = manager.dataSource.driver;
    this.selected = metadata.columns.filter(({ isSelect }) => isSelect);
    this.created = this.selected.filter(({ propertyName }) => !NOT_OF_NEW_NOTES.has(propertyName));
    this.list = this.selected.map(({ databaseName }) => `note.${databaseName}`).join(', ');
    this.ofNewNotes = this.created.map(({ databaseName }) => databaseName);
  }

  toNote(row: Record<string, unknown>): Note {
    const values = this.selected.map((column) => [
      column.propertyName,
      this.driver.prepareHydratedValue(row[column.databaseName], column) as unknown,
    ]);
    return Object.fromEntries(values) as Note;
  }

  /** Absent values are null. */
  toParameters(note: Partial<Note>): unknown[] {
    return this.created.map((column) => {
      const value = note[column.propertyName as keyof Note] ?? null;
      return this.driver.preparePersistentValue(value, column) as unknown;
    });
  }

  /** The columns of a change with their parameters. */
  toAssignments(columns: Partial<Note>): [name: string, parameter: unknown][] {
    return this.selected
      .filter(({ propertyName }) => columns[propertyName as keyof Note] !== undefined)
      .map((column) => {
        const value = columns[column.propertyName as keyof Note];
        return [column.databaseName, this.driver.preparePersistentValue(value, column) as unknown];
      });
  }
}
