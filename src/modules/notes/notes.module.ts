import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { EventsModule } from '../events/events.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { ToursModule } from '../tours/tours.module.js';
import { UsersModule } from '../users/users.module.js';
import { WorkspaceTablesModule } from '../workspace-tables/workspace-tables.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { ManyNotesController } from './many-notes.controller.js';
import { NoteBatchesService } from './note-batches.service.js';
import { NoteColumns } from './note-columns.js';
import { NoteErasureRepository } from './note-erasure.repository.js';
import { NoteFieldValues } from './note-field-values.js';
import { NoteFiles } from './note-files.js';
import { NoteHistoryRepository } from './note-history.repository.js';
import { NoteListService } from './note-list.service.js';
import { NoteLocations } from './note-locations.js';
import { NoteLog } from './note-log.js';
import { NoteMessagesService } from './note-messages.service.js';
import { NoteParents } from './note-parents.js';
import { NotePermissions } from './note-permissions.js';
import { NotePurgeService } from './note-purge.service.js';
import { NoteQueriesService } from './note-queries.service.js';
import { NoteReaderService } from './note-reader.service.js';
import { NoteReferencesRepository } from './note-references.repository.js';
import { NoteRegistrations } from './note-registrations.js';
import { NoteRowReferrer } from './note-row-referrer.js';
import { NoteRulesController } from './note-rules.controller.js';
import { NoteRulesService } from './note-rules.service.js';
import { NoteSearchRepository } from './note-search.repository.js';
import { NoteStatisticsRepository } from './note-statistics.repository.js';
import { NoteStatisticsService } from './note-statistics.service.js';
import { NoteTablesService } from './note-tables.service.js';
import { NoteTextsService } from './note-texts.service.js';
import { NoteValues } from './note-values.js';
import { NoteWatchersService } from './note-watchers.service.js';
import { NotesController } from './notes.controller.js';
import { NotesRepository } from './notes.repository.js';
import { NotesService } from './notes.service.js';
import { PublicNotesController } from './public-notes.controller.js';
import { PublicNotesPolicy } from './public-notes.policy.js';
import { WorkspaceNotesController } from './workspace-notes.controller.js';

/**
 * Notes and messages on three API surfaces: projects and tags, workspaces, and public. README.md: how to add a field.
 */
@Module({
  imports: [
    AttachmentsModule,
    AuditModule,
    EventsModule,
    ProjectsModule,
    ToursModule,
    UsersModule,
    WorkspaceTablesModule,
    WorkspacesModule,
  ],
  // The first one has the paths that would otherwise be IDs of notes.
  controllers: [
    ManyNotesController,
    NotesController,
    WorkspaceNotesController,
    NoteRulesController,
    PublicNotesController,
  ],
  providers: [
    NoteBatchesService,
    NoteColumns,
    NoteErasureRepository,
    NoteFieldValues,
    NoteFiles,
    NoteHistoryRepository,
    NoteListService,
    NoteLocations,
    NoteLog,
    NoteMessagesService,
    NoteParents,
    NotePermissions,
    NotePurgeService,
    NoteQueriesService,
    NoteReaderService,
    NoteReferencesRepository,
    NoteRegistrations,
    NoteRowReferrer,
    NoteRulesService,
    NoteSearchRepository,
    NoteStatisticsRepository,
    NoteStatisticsService,
    NoteTablesService,
    NoteTextsService,
    NoteValues,
    NoteWatchersService,
    NotesRepository,
    NotesService,
    PublicNotesPolicy,
  ],
  exports: [
    NoteListService,
    NoteMessagesService,
    NoteQueriesService,
    NotePurgeService,
    NoteReaderService,
    NoteRulesService,
    NotesService,
    NoteStatisticsService,
    NoteTablesService,
    NoteTextsService,
  ],
})
export class NotesModule {}
