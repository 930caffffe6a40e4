import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { NotesModule } from '../notes/notes.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { ToursModule } from '../tours/tours.module.js';
import { WorkspaceTablesModule } from '../workspace-tables/workspace-tables.module.js';
import { PermittedParts } from './permitted-parts.js';
import { RecordSources } from './record-sources.js';
import { SearchCandidatesRepository } from './search-candidates.repository.js';
import { SearchErasureRepository } from './search-erasure.repository.js';
import { SearchHits } from './search-hits.js';
import { SearchIndexRepository } from './search-index.repository.js';
import { SearchIndexer } from './search-indexer.js';
import { SearchController } from './search.controller.js';
import { SearchService } from './search.service.js';

/** Finds rows and records of a workspace by words, in an index that background work fills. */
@Module({
  imports: [EventsModule, NotesModule, ProjectsModule, ToursModule, WorkspaceTablesModule],
  controllers: [SearchController],
  providers: [
    PermittedParts,
    RecordSources,
    SearchCandidatesRepository,
    SearchErasureRepository,
    SearchHits,
    SearchIndexRepository,
    SearchIndexer,
    SearchService,
  ],
  exports: [SearchService],
})
export class SearchModule {}
