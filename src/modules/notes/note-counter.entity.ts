import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * What a workspace's notes are counted by. Every write of a note takes this row last and holds it until it commits: so
 * sequences become visible in their order, and whoever reads on from one misses nothing.
 */
@Entity('note_counters')
export class NoteCounter {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_note_counters' })
  workspaceId: string;

  @Column('bigint', { transformer: { from: Number, to: (value: number) => value } })
  lastNumber: number;

  @Column('bigint', { transformer: { from: Number, to: (value: number) => value } })
  lastSequence: number;
}

/** Counts so many notes ($2) and events ($3) of a workspace ($1), and gives the last number and sequence. */
export const COUNT = `
  INSERT INTO note_counters (workspace_id, last_number, last_sequence) VALUES ($1, $2, $3)
  ON CONFLICT (workspace_id) DO UPDATE
     SET last_number = note_counters.last_number + $2, last_sequence = note_counters.last_sequence + $3
  RETURNING last_number::float8 AS number, last_sequence::float8 AS sequence`;
