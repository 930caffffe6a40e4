import { Module } from '@nestjs/common';
import { RowReferences } from '../../../records/row-references.js';
import { CatalogModule } from '../catalog/catalog.module.js';
import { ChangeFeedRepository } from './change-feed.repository.js';
import { ChangeFeedService } from './change-feed.service.js';
import { ExportRowsService } from './export-rows.service.js';
import { QueryRowsController } from './query-rows.controller.js';
import { QueryRowsRepository } from './query-rows.repository.js';
import { QueryRowsService } from './query-rows.service.js';
import { RowReferencesService } from './row-references.service.js';
import { RowTitlesService } from './row-titles.service.js';
import { TableReadsController } from './table-reads.controller.js';
import { TableStatisticsRepository } from './table-statistics.repository.js';
import { TableStatisticsService } from './table-statistics.service.js';
import { UnresolvedReferencesRepository } from './unresolved-references.repository.js';
import { UnresolvedReferencesService } from './unresolved-references.service.js';

/** Reads rows: pages, exports, change feed, unresolved references, lookups for other modules. */
@Module({
  imports: [CatalogModule],
  controllers: [QueryRowsController, TableReadsController],
  providers: [
    ChangeFeedRepository,
    ChangeFeedService,
    ExportRowsService,
    QueryRowsRepository,
    QueryRowsService,
    { provide: RowReferences, useClass: RowReferencesService },
    RowTitlesService,
    TableStatisticsRepository,
    TableStatisticsService,
    UnresolvedReferencesRepository,
    UnresolvedReferencesService,
  ],
  exports: [RowReferences, TableStatisticsService],
})
export class QueryModule {}
