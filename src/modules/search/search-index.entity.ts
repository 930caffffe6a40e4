import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

const toNumber = { from: Number, to: (value: number) => value };

/** The search index of a workspace. It exists from the first search on. */
@Entity('search_indexes')
@Index('ix_search_indexes_pending', ['workspaceId'], { where: 'is_pending' })
export class SearchIndex {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_search_indexes' })
  workspaceId: string;

  /** Events up to this number are indexed. */
  @Column('bigint', { transformer: toNumber })
  sequence: number;

  /** May tables or records lack that existed at this number? */
  @Column('boolean', { default: true })
  isPending: boolean;
}

/** How far a source is indexed: a table by its ID, or a kind of records by its name. */
@Entity('search_positions')
export class SearchPosition {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_search_positions' })
  workspaceId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_search_positions' })
  source: string;

  /** The revision of a table; for records 1 if all that existed are indexed, otherwise 0. */
  @Column('bigint', { transformer: toNumber })
  revision: number;

  /** The last indexed row of the revision, or record; null if all are indexed. */
  @Column({ type: 'text', nullable: true, collation: 'C' })
  key: string | null;

  /** The `changesSince` of a table when its first row was indexed. */
  @Column('bigint', { transformer: toNumber, default: 0 })
  changesSince: number;
}

/** The words of a row, a record or a message. */
@Entity('search_entries')
@Index('ix_search_entries_code', ['workspaceId', 'code'], { where: 'code IS NOT NULL' })
// TypeORM cannot declare a GIN index.
@Index('ix_search_entries_words', { synchronize: false })
export class SearchEntry {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_search_entries' })
  workspaceId: string;

  /** The ID of the table, or the kind of record. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_search_entries' })
  source: string;

  /** The key of the row, or the ID of the record. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_search_entries', collation: 'C' })
  id: string;

  /**
   * What people know it by, folded and without separators, after a letter for the kind: the key, the number or the
   * external ID.
   */
  @Column({ type: 'text', nullable: true, collation: 'C' })
  code: string | null;

  @Column('tsvector')
  words: string;
}

/**
 * A word of letters of the workspace by each of its variants: itself, itself without one letter, and its
 * ends after a mark (ADR 0183).
 */
@Entity('search_words')
export class SearchWord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_search_words' })
  workspaceId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_search_words', collation: 'C' })
  variant: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_search_words', collation: 'C' })
  word: string;
}
