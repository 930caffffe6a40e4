import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { createRecordCounter } from '../../records/record-counters.js';
import { ProjectsService } from '../projects/projects.service.js';
import { CallerWorkspacesService } from '../workspaces/caller-workspaces.service.js';
import { Tag } from './tag.entity.js';
import { ToursService } from './tours.service.js';

/** Workspaces, projects and tours tell how many tags they have. */
@Injectable()
export class TagCounts implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly workspaces: CallerWorkspacesService,
    private readonly projects: ProjectsService,
    private readonly tours: ToursService,
  ) {}

  onModuleInit(): void {
    this.workspaces.registerCounter('tags', createRecordCounter(this.database, Tag, 'workspaceId'));
    this.projects.registerCounter('tags', createRecordCounter(this.database, Tag, 'projectId'));
    this.tours.registerCounter('tags', createRecordCounter(this.database, Tag, 'tourId'));
  }
}
