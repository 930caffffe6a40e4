import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { RowsRepository } from '../catalog/rows.repository.js';
import { ArrayRowSource } from './array-row-source.js';
import { type RowStream, StagingRowSource } from './staging-row-source.js';
import { StagingRepository } from './staging.repository.js';

/** Reads rows into the sources that the engine merges. */
@Injectable()
export class RowSources {
  readonly limits: Config['tables'];

  constructor(
    private readonly rows: RowsRepository,
    private readonly staging: StagingRepository,
    config: Config,
  ) {
    this.limits = config.tables;
  }

  read(items: readonly unknown[], columns: readonly CatalogColumn[]): ArrayRowSource {
    return ArrayRowSource.read(this.rows, items, columns, this.limits.rowMaxBytes);
  }

  /** Rows that cannot be read, because the columns have errors. */
  unread(items: readonly unknown[]): ArrayRowSource {
    return ArrayRowSource.unread(this.rows, items);
  }

  /** Reads a file into a staging table of the open transaction. @param number of the staging table in the transaction. */
  stage(number: number, table: CatalogTable, stream: RowStream): Promise<StagingRowSource> {
    return StagingRowSource.stage(this.staging, number, table, stream, this.limits.rowMaxBytes);
  }
}
