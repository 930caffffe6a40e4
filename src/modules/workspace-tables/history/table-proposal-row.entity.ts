import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { RowValues } from '../../../../packages/tables/src/catalog/row-sql.js';
import { TableProposal } from './table-proposal.entity.js';

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
