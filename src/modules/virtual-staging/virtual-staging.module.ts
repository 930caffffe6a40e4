import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { ToursModule } from '../tours/tours.module.js';
import { RenderersController } from './renderers.controller.js';
import { StagingFiles } from './staging-files.js';
import { StagingQueueService } from './staging-queue.service.js';
import { StagingStatisticsService } from './staging-statistics.service.js';
import { StagingsController } from './stagings.controller.js';
import { StagingsService } from './stagings.service.js';

/** Virtual staging: pictures of tours, the queue that renderers work from, and what comes of it. */
@Module({
  imports: [AttachmentsModule, ToursModule],
  controllers: [StagingsController, RenderersController],
  providers: [StagingFiles, StagingQueueService, StagingStatisticsService, StagingsService],
  exports: [StagingStatisticsService],
})
export class VirtualStagingModule {}
