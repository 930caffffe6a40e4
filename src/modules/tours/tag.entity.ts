import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { AuditedRecord } from '../../platform/database/audited-record.js';

/** Where in the tour's space something is, in metres. */
export interface Position {
  x: number;
  y: number;
  z: number;
}

/** A marked place in a tour. */
@Entity('tags')
@Index('ix_tags_tour', ['workspaceId', 'tourId'])
@Index('ix_tags_project', ['workspaceId', 'projectId'])
export class Tag extends AuditedRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_tags' })
  workspaceId: string;

  /** Unique in the service, and not only in the workspace: callers name a tag by it alone. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_tags' })
  id: number;

  @Column('uuid')
  tourId: string;

  /** The tour's project. */
  @Column('uuid')
  projectId: string;

  @Column('text')
  label: string;

  @Column('text', { nullable: true })
  description: string | null;

  @Column('jsonb', { nullable: true })
  anchorPosition: Position | null;
}
