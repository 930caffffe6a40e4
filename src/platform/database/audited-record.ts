import { Column, CreateDateColumn, UpdateDateColumn, VersionColumn } from 'typeorm';

/** What every record of the service tells of its own history. Entities extend it. */
export abstract class AuditedRecord {
  /** Counts the changes. */
  @VersionColumn({ default: 1 })
  version: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;

  @Column('uuid', { nullable: true })
  updatedBy: string | null;
}
