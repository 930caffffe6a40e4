import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { NamesPersons } from '../../platform/database/names-persons.decorator.js';
import { RowReferringRecord } from '../../records/row-referring-record.js';

/** A position or direction in the space of the tour, in meters. */
export interface Position {
  x: number;
  y: number;
  z: number;
}

/** A marked position in a tour. */
@Entity('tags')
@Unique('uq_tags_external_id', ['workspaceId', 'externalId'])
@Index('ix_tags_updated', ['workspaceId', 'updatedAt', 'id'])
@Index('ix_tags_tour', ['workspaceId', 'tourId'])
@Index('ix_tags_project', ['workspaceId', 'projectId'])
@Index('ix_tags_location', ['workspaceId', 'locationTableId', 'locationKey'])
@Index('ix_tags_asset', ['workspaceId', 'assetTableId', 'assetKey'])
export class Tag extends RowReferringRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_tags' })
  workspaceId: string;

  /** Unique in the whole service, because callers name a tag only by its ID. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_tags' })
  id: number;

  @Column('uuid')
  tourId: string;

  /** The project of the tour. */
  @Column('uuid')
  projectId: string;

  @Column('text')
  @NamesPersons()
  label: string;

  @Column('text', { nullable: true })
  @NamesPersons()
  description: string | null;

  @Column('jsonb', { nullable: true })
  anchorPosition: Position | null;

  /** From the anchor to the label. */
  @Column('jsonb', { nullable: true })
  stemVector: Position | null;

  @Column('text', { nullable: true })
  @NamesPersons('json')
  sceneId: string | null;

  @Column('text', { nullable: true })
  @NamesPersons('json')
  floorId: string | null;

  /** In the format `#rrggbb`. */
  @Column('text', { nullable: true })
  color: string | null;

  @Column('text', { nullable: true })
  icon: string | null;

  @Column('text', { array: true, default: [] })
  @NamesPersons()
  keywords: string[];
}
