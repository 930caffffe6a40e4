import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { createRecordCounter } from '../../records/record-counters.js';
import { ProjectsService } from '../projects/projects.service.js';
import { ToursService } from '../tours/tours.service.js';
import { CallerWorkspacesService } from '../workspaces/caller-workspaces.service.js';
import { Note } from './note.entity.js';

/** Projects and tours tell how many of their notes are open, workspaces how many they have. */
@Injectable()
export class NoteCounts implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly tours: ToursService,
    private readonly workspaces: CallerWorkspacesService,
  ) {}

  onModuleInit(): void {
    const isOpen = 'record.closedAt IS NULL';
    this.projects.registerCounter('openNotes', createRecordCounter(this.database, Note, 'projectId', isOpen));
    this.tours.registerCounter('openNotes', createRecordCounter(this.database, Note, 'tourId', isOpen));
    this.workspaces.registerCounter('notes', createRecordCounter(this.database, Note, 'workspaceId'));
  }
}
