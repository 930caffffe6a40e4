import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { ArchivableRecord } from '../../records/archivable-record.js';

/** Where in the tour's space something is, or which way it points, in metres. */
export interface Position {
  x: number;
  y: number;
  z: number;
}

/** A marked place in a tour. */
@Entity('tags')
@Unique('uq_tags_external_id', ['workspaceId', 'externalId'])
@Index('ix_tags_updated', ['workspaceId', 'updatedAt', 'id'])
@Index('ix_tags_tour', ['workspaceId', 'tourId'])
@Index('ix_tags_project', ['workspaceId', 'projectId'])
@Index('ix_tags_location', ['workspaceId', 'locationTableId', 'locationKey'])
@Index('ix_tags_asset', ['workspaceId', 'assetTableId', 'assetKey'])
export class Tag extends ArchivableRecord {
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

  /** From the anchor to the label. */
  @Column('jsonb', { nullable: true })
  stemVector: Position | null;

  @Column('text', { nullable: true })
  sceneId: string | null;

  @Column('text', { nullable: true })
  floorId: string | null;

  /** As `#rrggbb`. */
  @Column('text', { nullable: true })
  color: string | null;

  @Column('text', { nullable: true })
  icon: string | null;

  @Column('text', { array: true, default: [] })
  keywords: string[];

  /** The location that it marks: a row of a table, followed when its key is renamed. */
  @Column('uuid', { nullable: true })
  locationTableId: string | null;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  locationKey: string | null;

  /** The asset that it marks. */
  @Column('uuid', { nullable: true })
  assetTableId: string | null;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  assetKey: string | null;
}
