import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { EntityColumns } from '../../platform/database/entity-columns.js';
import { Note } from './note.entity.js';

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

/** Initial values of columns that are not nullable, if a request does not send them. */
const INITIAL: ReadonlyMap<string, unknown> = new Map([
  ['externalReferences', []],
  ['watchers', []],
]);

/**
 * Converts notes to parameters of SQL and rows of SQL to notes, as TypeORM does. It reads the columns from the entity,
 * so that a new column needs no change of a statement.
 */
@Injectable()
export class NoteColumns extends EntityColumns<Note> {
  /** The names of the columns that the creation of a note sets, in the order of `toParameters`. */
  readonly ofNewNotes: readonly string[];
  private readonly created;

  constructor(database: Database) {
    super(database, Note);
    this.created = this.selected.filter(({ propertyName }) => !NOT_OF_NEW_NOTES.has(propertyName));
    this.ofNewNotes = this.created.map(({ databaseName }) => databaseName);
  }

  /** The name of the column of a property. */
  nameOf(property: keyof Note): string {
    return this.selected.find(({ propertyName }) => propertyName === property)!.databaseName;
  }

  /** Absent values are null, or the empty list. */
  toParameters(note: Partial<Note>): unknown[] {
    return this.created.map((column) => {
      const value = note[column.propertyName as keyof Note] ?? INITIAL.get(column.propertyName) ?? null;
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
