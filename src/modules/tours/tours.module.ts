import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module.js';
import { TagsController } from './tags.controller.js';
import { TagsService } from './tags.service.js';
import { ToursController } from './tours.controller.js';
import { ToursService } from './tours.service.js';

@Module({
  imports: [ProjectsModule],
  controllers: [ToursController, TagsController],
  providers: [ToursService, TagsService],
  exports: [ToursService, TagsService],
})
export class ToursModule {}
