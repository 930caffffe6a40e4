import { Module } from '@nestjs/common';
import { NotesModule } from '../notes/notes.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { ToursModule } from '../tours/tours.module.js';
import { VirtualStagingModule } from '../virtual-staging/virtual-staging.module.js';
import { WorkspaceTablesModule } from '../workspace-tables/workspace-tables.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AnalyticsController } from './analytics.controller.js';
import { AnalyticsService } from './analytics.service.js';
import { AnalyticsQueryService } from './analytics-query.service.js';

/** Statistics of a workspace. Each module counts its own records. */
@Module({
  imports: [NotesModule, ToursModule, VirtualStagingModule, ProjectsModule, WorkspaceTablesModule, WorkspacesModule],
  controllers: [AnalyticsController],
  providers: [AnalyticsService, AnalyticsQueryService],
})
export class AnalyticsModule {}
