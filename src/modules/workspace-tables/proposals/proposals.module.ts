import { Module } from '@nestjs/common';
import { BatchesModule } from '../batches/batches.module.js';
import { CatalogModule } from '../catalog/catalog.module.js';
import { EngineModule } from '../engine/engine.module.js';
import { HistoryModule } from '../history/history.module.js';
import { ProposalApplier } from './proposal-applier.js';
import { ProposalChanges } from './proposal-changes.js';
import { ProposalExpiry } from './proposal-expiry.js';
import { ProposalsController } from './proposals.controller.js';
import { ProposalsService } from './proposals.service.js';
import { ProposedRowsRepository } from './proposed-rows.repository.js';

/** Loads that wait for approval. */
@Module({
  imports: [BatchesModule, CatalogModule, EngineModule, HistoryModule],
  controllers: [ProposalsController],
  providers: [ProposalApplier, ProposalChanges, ProposalExpiry, ProposalsService, ProposedRowsRepository],
})
export class ProposalsModule {}
