import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { WorkspaceTablesModule } from '../workspace-tables/workspace-tables.module.js';
import { TagCells } from './tag-cells.js';
import { TagRowReferrer } from './tag-row-referrer.js';
import { TagsController } from './tags.controller.js';
import { TagsRepository } from './tags.repository.js';
import { TagsService } from './tags.service.js';
import { TourStatisticsService } from './tour-statistics.service.js';
import { ToursController } from './tours.controller.js';
import { ToursService } from './tours.service.js';

@Module({
  imports: [EventsModule, ProjectsModule, WorkspaceTablesModule],
  controllers: [ToursController, TagsController],
  providers: [ToursService, TagCells, TagsService, TagsRepository, TagRowReferrer, TourStatisticsService],
  exports: [ToursService, TagsService, TourStatisticsService],
})
export class ToursModule {}
