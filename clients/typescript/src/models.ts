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
export type NoteBulkResult = Schemas['BulkCreatedDto'];
export type NoteChanges = Schemas['NoteChangesDto'];
export type ChangedNotes = Schemas['ChangedNotesDto'];
export type NoteField = Schemas['NoteFieldDefinitionDto'];
export type NoteInput = Omit<Schemas['WorkspaceNoteDto'], 'files'>;
export type Session = Schemas['SessionDto'];
export type ApiKey = Schemas['ApiKeyDto'];
export type IssuedApiKey = Schemas['IssuedApiKeyDto'];
export type WorkspaceClient = Schemas['OAuthClientDto'];
export type AccessPolicy = Schemas['AccessPolicyDto'];
export type AccessPolicyInput = Schemas['AccessPolicyInputDto'];
export type AuditEntry = Schemas['AuditEntryDto'];

export type Table = Schemas['TableDto'];
export type TableSummary = Schemas['ListedTableDto'];
export type Column = Schemas['ColumnDto'];
export type ColumnDefinition = Schemas['ColumnDefinitionDto'];
export type ColumnType = Schemas['ColumnType'];
export type ImportRecord = Schemas['ImportDto'];
export type ImportReport = WithRowErrors<Schemas['ImportReportDto']>;
export type Batch = Schemas['BatchDto'];
export type Proposal = Schemas['ProposalDto'];
export type ProposalStatus = Schemas['ProposalStatus'];
export type UndoReport = Schemas['UndoReportDto'];
export type UpsertReport = WithRowErrors<Schemas['UpsertReportDto']>;
export type DeletionReport = WithRowErrors<Schemas['DeletionReportDto']>;
export type RenamedRow = Schemas['RenamedDto'];
export type TableReport = Schemas['TableReportDto'];
export type RowResult = Schemas['RowResultDto'];
export type Change = Schemas['ChangeDto'];
export type WorkspaceEvent = Schemas['EventDto'];
export type SearchResult = Schemas['SearchResultDto'];
export type SearchHit = Schemas['SearchHitDto'];
export type SearchKind = Schemas['SearchKind'];

/** `location`, `asset` or `list`; the paths of the API use the plural. */
export type Entity = Schemas['EntityKind'];

/** The value of a cell. `null` clears it; an omitted key leaves it unchanged. */
export type Value = string | number | boolean | null;
export type Row = Record<string, Value>;

/** Fields of some errors that can be read of every error, without a check of its code. */
type PositionField = 'index' | 'line' | 'key' | 'column' | 'otherIndex' | 'otherLine';
type WithPosition<Kind> = Kind & { [Field in Exclude<PositionField, keyof Kind>]?: undefined };

/** A value is not valid. `index` counts the rows of the call from 0, `line` the lines of an imported file from 1. */
export type CellError = WithPosition<Schemas['CellErrorDto']>;
/** Two rows of the call have the same key. `otherIndex` and `otherLine` are the position of the other row. */
export type DuplicateKeyError = WithPosition<Schemas['DuplicateKeyErrorDto']>;
/** A row is not valid as a whole. */
export type WholeRowError = WithPosition<Schemas['WholeRowErrorDto']>;
/** A table or one of its columns is not valid. */
export type ColumnError = WithPosition<Schemas['ColumnErrorDto']>;
/** One error of a request. Its `code` decides which kind it is. */
export type RowError = CellError | DuplicateKeyError | WholeRowError | ColumnError;

export interface RowErrors {
  errors: RowError[];
  /** The number of errors by code and column. */
  summary: Schemas['ErrorCountDto'][];
}

/** The report with errors whose fields can be read without a check of their code. */
type WithRowErrors<Report extends { summary: unknown }> = Omit<Report, 'errors' | 'warnings'> &
  RowErrors & { [Field in Extract<keyof Report, 'warnings'>]?: RowErrors };

/** The number of changed rows of a proposal. */
export interface ProposalSummary {
  create: number;
  update: number;
  delete: number;
}

/** A changed row of a proposal. */
export interface ProposedChange extends RowDifference {
  type: Entity;
  table: string;
}

/** A difference between a file and a table, or a row of the file that is not valid. */
export type Difference = RowDifference | ({ change: 'error'; sent: string } & RowError);

/** A row that differs. A created row has only `to`, a deleted one only `from`; the others are null. */
export interface RowDifference {
  change: 'create' | 'update' | 'delete';
  key: string;
  columns: ChangedValues;
}

/** The number of rows that differ between two moments. */
export type DifferenceSummary = ProposalSummary;

/** Changed values by column. */
export type ChangedValues = Record<string, { from: Value; to: Value }>;

/** A change of a row. */
export type RowHistoryEntry = Omit<Schemas['RowHistoryEntryDto'], 'columns'> & { columns: ChangedValues };
