import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { NamesPersons } from '../../../platform/database/names-persons.decorator.js';
import type { ErrorDetails } from '../../../../packages/errors/src/domain-error.js';
import type { EntityKind } from '../../../../packages/tables/src/catalog/entity-kind.js';

/** The first three are in progress, the others are final. `proposed`: the changes wait for approval. */
export const IMPORT_STATUSES = [
  'receiving',
  'reading',
  'writing',
  'succeeded',
  'proposed',
  'failed',
  'cancelled',
] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** Identifies an import. */
export type ImportKey = Pick<TableImport, 'workspaceId' | 'id'>;

export interface BegunImport {
  /** Null if it has several tables. */
  table: ImportTable | null;
  dryRun: boolean;
  /** The query parameters of the request. */
  options: Record<string, unknown>;
  fileName: string | undefined;
  userId: string;
  /** May it replace a failed import? Its Idempotency-Key ensures that only one of them has an effect. */
  mayRepeat: boolean;
}

/** The table of an import as it was when the import began. */
export interface ImportTable {
  id: string;
  type: EntityKind;
  name: string;
}

/** Why an import failed: what its response contained. */
export interface ImportFailure {
  code: string;
  message: string;
  details?: ErrorDetails;
}

export type ImportProgress = Pick<TableImport, 'bytes' | 'rowsRead' | 'rowsWritten' | 'rowsFailed'>;

const count = { default: 0, transformer: { from: Number, to: (value: number) => value } };

/** The record of an import: its progress and its outcome. */
@Entity('table_imports')
@Index('ix_table_imports_created', ['workspaceId', 'createdAt', 'id'])
@Index('ix_table_imports_running', ['updatedAt'], { where: 'finished_at IS NULL' })
@Index('ix_table_imports_finished', ['finishedAt'])
export class TableImport {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_table_imports' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_table_imports' })
  id: string;

  /** The table may have been dropped since. Null if the import has several. */
  @Column('uuid', { nullable: true })
  tableId: string | null;

  @Column('text')
  status: ImportStatus;

  /** Its entity and name when the import began. */
  @Column('jsonb', { nullable: true })
  tableRef: ImportTable | null;

  @Column('boolean')
  dryRun: boolean;

  /** The query parameters of the request. */
  @Column('jsonb')
  options: Record<string, unknown>;

  /** From `Content-Disposition`. */
  @Column('text', { nullable: true })
  @NamesPersons()
  fileName: string | null;

  /** Hexadecimal, of the file as it was sent. */
  @Column('text', { nullable: true })
  sha256: string | null;

  /** The data of the response, with its fields in the same order. */
  @Column('json', { nullable: true })
  @NamesPersons()
  report: object | null;

  /** Received, as sent. */
  @Column('bigint', count)
  bytes: number;

  @Column('bigint', count)
  rowsRead: number;

  @Column('bigint', count)
  rowsWritten: number;

  @Column('bigint', count)
  rowsFailed: number;

  /** The reason of a failure. */
  @Column('jsonb', { nullable: true })
  @NamesPersons()
  error: ImportFailure | null;

  @Column('uuid', { nullable: true })
  createdBy: string | null;

  /** Identifies the access policies of the caller as they were; null without any. */
  @Column('text', { nullable: true })
  policyVersion: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  /** The instance that executes the import updates it about once per second. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  finishedAt: Date | null;
}

/**
 * A part of the errors of an import, with the rejected rows as they were sent. Deleted with the record of the import.
 */
@Entity('table_import_errors')
export class TableImportErrors {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_table_import_errors' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_table_import_errors' })
  importId: string;

  /** Position of the part, from 0. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_table_import_errors' })
  position: number;

  /** NDJSON, compressed by gzip. */
  @Column('bytea')
  content: Buffer;

  @ManyToOne(() => TableImport, { onDelete: 'CASCADE' })
  @JoinColumn([
    {
      name: 'workspace_id',
      referencedColumnName: 'workspaceId',
      foreignKeyConstraintName: 'fk_table_import_errors_import',
    },
    { name: 'import_id', referencedColumnName: 'id', foreignKeyConstraintName: 'fk_table_import_errors_import' },
  ])
  import?: TableImport;
}
