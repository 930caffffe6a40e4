import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { EventsModule } from '../events/events.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { ToursModule } from '../tours/tours.module.js';
import { WorkspaceTablesModule } from '../workspace-tables/workspace-tables.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { NoteColumns } from './note-columns.js';
import { NoteHistoryRepository } from './note-history.repository.js';
import { NoteLocations } from './note-locations.js';
import { NoteLog } from './note-log.js';
import { NoteParents } from './note-parents.js';
import { NoteReaderService } from './note-reader.service.js';
import { NoteRegistrations } from './note-registrations.js';
import { NoteSearchRepository } from './note-search.repository.js';
import { NoteStatisticsRepository } from './note-statistics.repository.js';
import { NoteStatisticsService } from './note-statistics.service.js';
import { NoteStatusesController } from './note-statuses.controller.js';
import { NoteStatusesService } from './note-statuses.service.js';
import { NoteTextsRepository } from './note-texts.repository.js';
import { NoteTextsService } from './note-texts.service.js';
import { NoteValues } from './note-values.js';
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
  imports: [AttachmentsModule, EventsModule, ProjectsModule, ToursModule, WorkspaceTablesModule, WorkspacesModule],
  controllers: [NotesController, WorkspaceNotesController, NoteStatusesController, PublicNotesController],
  providers: [
    NoteColumns,
    NoteHistoryRepository,
    NoteLocations,
    NoteLog,
    NoteParents,
    NoteReaderService,
    NoteRegistrations,
    NoteSearchRepository,
    NoteStatisticsRepository,
    NoteStatisticsService,
    NoteStatusesService,
    NoteTextsRepository,
    NoteTextsService,
    NoteValues,
    NotesRepository,
    NotesService,
    PublicNotesPolicy,
  ],
  exports: [NotesService, NoteStatisticsService, NoteTextsService],
})
export class NotesModule {}
