import type { components } from './openapi-types.js';

type Schemas = components['schemas'];

export type Workspace = Schemas['WorkspaceDto'];
export type Project = Schemas['ProjectDto'];
export type Tour = Schemas['TourDto'];
export type Tag = Schemas['TagDto'];
export type User = Schemas['UserDto'];
export type VirtualStaging = Schemas['StagingDto'];
export type Note = Schemas['NoteDto'];
export type NoteMessage = Schemas['NoteMessageDto'];
export type NoteInput = Omit<Schemas['WorkspaceNoteDto'], 'files'>;
export type Session = Schemas['SessionDto'];

export type Table = Schemas['TableDto'];
export type TableSummary = Schemas['ListedTableDto'];
export type Column = Schemas['ColumnDto'];
export type ColumnDefinition = Schemas['ColumnDefinitionDto'];
export type ColumnType = Schemas['ColumnType'];
export type ImportRecord = Schemas['ImportDto'];
export type ImportReport = Schemas['ImportReportDto'];
export type Batch = Schemas['BatchDto'];
export type UndoReport = Schemas['UndoReportDto'];
export type UpsertReport = Schemas['UpsertReportDto'];
export type TableReport = Schemas['TableReportDto'];
export type RowResult = Schemas['RowResultDto'];
export type Change = Schemas['ChangeDto'];
export type WorkspaceEvent = Schemas['EventDto'];

/** `location`, `asset` or `list`; the paths of the API use the plural. */
export type Entity = Schemas['EntityKind'];

/** The value of a cell. `null` clears it; an omitted key leaves it unchanged. */
export type Value = string | number | boolean | null;
export type Row = Record<string, Value>;

/** One error of a request, with its position as far as it is known. */
export interface RowError {
  code: string;
  message: string;
  field?: string;
  type?: Entity;
  table?: string;
  /** The row of the call, counted from 0. */
  index?: number;
  /** The line of an imported file, counted from 1. */
  line?: number;
  key?: string;
  column?: string;
  /** With `duplicate_in_batch`: the other row with the key, counted as `index`. */
  otherIndex?: number;
  /** With `duplicate_in_batch`: the line of the other row, counted as `line`. */
  otherLine?: number;
}

/** A difference between a file and a table, or a row of the file that is not valid. */
export type Difference =
  | { change: 'create' | 'update' | 'delete'; key: string; columns: Record<string, { from: Value; to: Value }> }
  | ({ change: 'error'; sent: string } & RowError);
