import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { CatalogModule } from '../catalog/catalog.module.js';
import { SourcesModule } from '../sources/sources.module.js';
import { EngineModule } from '../engine/engine.module.js';
import { CompareService } from './compare.service.js';
import { ErrorLog } from './error-log.js';
import { ImportErrorsRepository } from './import-errors.repository.js';
import { ImportRecordsRepository } from './import-records.repository.js';
import { ImportReceiver } from './import-receiver.js';
import { ImportSlots } from './import-slots.js';
import { ImportsController } from './imports.controller.js';
import { ImportsService } from './imports.service.js';
import { RunningImports } from './running-imports.js';

/** Imports of files of any length into a table. */
@Module({
  imports: [CatalogModule, EngineModule, SourcesModule, EventsModule],
  controllers: [ImportsController],
  providers: [
    CompareService,
    ErrorLog,
    ImportErrorsRepository,
    ImportRecordsRepository,
    ImportReceiver,
    ImportSlots,
    ImportsService,
    RunningImports,
  ],
})
export class ImportsModule {}
