import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { NamesPersons } from '../../../platform/database/names-persons.decorator.js';
import type { BatchSource, BatchTable } from '../../../../packages/tables/src/history/batch.js';
import type { RowValues } from '../../../../packages/tables/src/catalog/row-sql.js';

export const PROPOSAL_STATUSES = ['pending', 'approved', 'rejected', 'expired'] as const;
export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number];

/** What a proposal would do to a table. */
export interface ProposedTable extends Pick<BatchTable, 'id' | 'entity' | 'name' | 'counts'> {
  /** `hashRowRules` of the table when the rows were compared. */
  rules: string;
}

/** Identifies a proposal. */
export type ProposalKey = Pick<TableProposal, 'workspaceId' | 'id'>;

/** A load that waits for approval, or was decided (ADR 0165). Its changes are `TableProposalRow`s. */
@Entity('table_proposals')
@Index('ix_table_proposals_created', ['workspaceId', 'createdAt', 'id'])
@Index('ix_table_proposals_pending', ['expiresAt'], { where: "status = 'pending'" })
@Index('ix_table_proposals_decided', ['decidedAt'], { where: "status <> 'pending'" })
export class TableProposal {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_table_proposals' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_table_proposals' })
  id: string;

  @Column('text', { default: 'pending' })
  status: ProposalStatus;

  @Column('text')
  source: BatchSource;

  /** Only those that the load would change. */
  @Column('jsonb')
  tables: ProposedTable[];

  /** As the response to the load contains it. */
  @Column('jsonb')
  @NamesPersons()
  report: object;

  @Column('uuid', { nullable: true })
  importId: string | null;

  /** The batch that it would undo. */
  @Column('uuid', { nullable: true })
  undoes: string | null;

  /** For an undo: leave rows that were changed since as they are? */
  @Column('boolean', { default: false })
  skipConflicts: boolean;

  /** Must another user than the author approve it? */
  @Column('boolean')
  needsOtherUser: boolean;

  @Column('uuid', { nullable: true })
  createdBy: string | null;

  /** Identifies the access policies of the author, as they were; null without any. */
  @Column('text', { nullable: true })
  policyVersion: string | null;

  /** As `policyVersion`, of the caller who has compared it last: its former values are what that caller may read. */
  @Column('text', { nullable: true })
  comparedPolicyVersion: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  /** When its rows were compared with the stored ones. */
  @Column({ type: 'timestamptz', precision: 3 })
  comparedAt: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt: Date;

  @Column('uuid', { nullable: true })
  decidedBy: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  decidedAt: Date | null;

  @Column('text', { nullable: true })
  @NamesPersons()
  comment: string | null;

  /** The batch of an approved proposal. */
  @Column('uuid', { nullable: true })
  batchId: string | null;
}

export type ProposedChange = 'create' | 'update' | 'delete';

/** The change of a row that a proposal contains. Rows have all columns of the table except its primary key. */
@Entity('table_proposal_rows')
export class TableProposalRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_table_proposal_rows' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_table_proposal_rows' })
  proposalId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_table_proposal_rows' })
  tableId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_table_proposal_rows', collation: 'C' })
  key: string;

  @Column('text')
  change: ProposedChange;

  /** The revision of the stored row when it was compared; null for a new row. */
  @Column('bigint', { nullable: true, transformer: { from: toNumber, to: (value: number | null) => value } })
  revision: number | null;

  /** The stored row; null for a new row. */
  @Column('jsonb', { nullable: true })
  before: RowValues | null;

  /** The row after the change; null for a deletion. */
  @Column('jsonb', { nullable: true })
  after: RowValues | null;

  @ManyToOne(() => TableProposal, { onDelete: 'CASCADE' })
  @JoinColumn([
    {
      name: 'workspace_id',
      referencedColumnName: 'workspaceId',
      foreignKeyConstraintName: 'fk_table_proposal_rows_proposal',
    },
    { name: 'proposal_id', referencedColumnName: 'id', foreignKeyConstraintName: 'fk_table_proposal_rows_proposal' },
  ])
  proposal?: TableProposal;
}

function toNumber(value: string | null): number | null {
  return value === null ? null : Number(value);
}
