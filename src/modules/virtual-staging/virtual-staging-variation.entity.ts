import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A picture that a renderer made; it owns one file. It counts while the staging has the claim under which it came. */
@Entity('staging_variations')
@Index('ix_staging_variations_staging', ['workspaceId', 'stagingId', 'id'])
export class VirtualStagingVariation {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_staging_variations' })
  workspaceId: string;

  /** In the order in which they came. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_staging_variations' })
  id: string;

  @Column('uuid')
  stagingId: string;

  @Column('uuid')
  claim: string;

  @Column('text')
  label: string;
}
