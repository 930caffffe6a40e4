import { Module } from '@nestjs/common';
import { AccessPoliciesModule } from '../../access-policies/access-policies.module.js';
import { AuditModule } from '../../audit/audit.module.js';
import { EngineModule } from '../engine/engine.module.js';
import { AggregatesController } from './aggregates.controller.js';
import { AggregatesService } from './aggregates.service.js';
import { ChangeFeedService } from './change-feed.service.js';
import { ExportAudit } from './export-audit.js';
import { ExportRowsService } from './export-rows.service.js';
import { PolicyTables } from './policy-tables.js';
import { QueryRowsController } from './query-rows.controller.js';
import { QueryRowsService } from './query-rows.service.js';
import { RowDefectsService } from './row-defects.service.js';
import { RowReferencesService } from './row-references.service.js';
import { RowTextsService } from './row-texts.service.js';
import { RowTitlesService } from './row-titles.service.js';
import { TableDefinitionsService } from './table-definitions.service.js';
import { TableReadsController } from './table-reads.controller.js';
import { TableFiguresService } from './table-figures.service.js';

/** Reads rows: pages, aggregates, exports, change feed, unresolved references, lookups for other modules. */
@Module({
  imports: [AccessPoliciesModule, AuditModule, EngineModule],
  controllers: [AggregatesController, QueryRowsController, TableReadsController],
  providers: [
    AggregatesService,
    ChangeFeedService,
    ExportAudit,
    ExportRowsService,
    PolicyTables,
    QueryRowsService,
    RowReferencesService,
    RowDefectsService,
    RowTextsService,
    RowTitlesService,
    TableDefinitionsService,
    TableFiguresService,
  ],
  exports: [
    AggregatesService,
    ChangeFeedService,
    EngineModule,
    ExportAudit,
    ExportRowsService,
    QueryRowsService,
    RowReferencesService,
    RowTextsService,
    RowTitlesService,
    TableDefinitionsService,
    TableFiguresService,
  ],
})
export class QueryModule {}
