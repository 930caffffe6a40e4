import { Column } from 'typeorm';
import { ArchivableRecord } from './archivable-record.js';

/**
 * A record that may refer to a location and an asset: rows of workspace tables. The references follow a rename of the
 * keys.
 */
export abstract class RowReferringRecord extends ArchivableRecord {
  @Column('uuid', { nullable: true })
  locationTableId: string | null;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  locationKey: string | null;

  @Column('uuid', { nullable: true })
  assetTableId: string | null;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  assetKey: string | null;
}
