import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { ToursModule } from '../tours/tours.module.js';
import { WorkspaceTablesModule } from '../workspace-tables/workspace-tables.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { NoteCounts } from './note-counts.js';
import { NoteFiles } from './note-files.js';
import { NoteHistoryService } from './note-history.service.js';
import { NoteMessagesService } from './note-messages.service.js';
import { NoteParents } from './note-parents.js';
import { NoteReaderService } from './note-reader.service.js';
import { NoteStatisticsService } from './note-statistics.service.js';
import { NoteStatusesController } from './note-statuses.controller.js';
import { NoteStatusesService } from './note-statuses.service.js';
import { NoteValues } from './note-values.js';
import { NotesController } from './notes.controller.js';
import { NotesRepository } from './notes.repository.js';
import { NotesService } from './notes.service.js';
import { PublicNotesController } from './public-notes.controller.js';
import { PublicNotesService } from './public-notes.service.js';
import { NoteRowReferrer } from './note-row-referrer.js';
import { ThreadsService } from './threads.service.js';
import { WorkspaceNotesController } from './workspace-notes.controller.js';

/** Notes and messages on three surfaces: projects and tags, workspaces, and the public one. */
@Module({
  imports: [AttachmentsModule, ProjectsModule, ToursModule, WorkspaceTablesModule, WorkspacesModule],
  controllers: [NotesController, WorkspaceNotesController, NoteStatusesController, PublicNotesController],
  providers: [
    NoteCounts,
    NoteFiles,
    NoteHistoryService,
    NoteMessagesService,
    NoteParents,
    NoteReaderService,
    NoteStatisticsService,
    NoteStatusesService,
    NoteValues,
    NotesRepository,
    NotesService,
    PublicNotesService,
    NoteRowReferrer,
    ThreadsService,
  ],
  exports: [NoteStatisticsService],
})
export class NotesModule {}
