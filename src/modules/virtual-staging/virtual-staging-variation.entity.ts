import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { NamesPersons } from '../../platform/database/names-persons.decorator.js';

/** A rendered image; it owns one attachment. It is valid while the virtual staging has the claim of the upload. */
@Entity('staging_variations')
@Index('ix_staging_variations_staging', ['workspaceId', 'stagingId', 'id'])
export class VirtualStagingVariation {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_staging_variations' })
  workspaceId: string;

  /** UUID v7: IDs ascend in the order of the uploads. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_staging_variations' })
  id: string;

  @Column('uuid')
  stagingId: string;

  @Column('uuid')
  claim: string;

  @Column('text')
  @NamesPersons()
  label: string;
}
