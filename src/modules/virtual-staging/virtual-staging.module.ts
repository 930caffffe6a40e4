import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { ToursModule } from '../tours/tours.module.js';
import { RenderersController } from './renderers.controller.js';
import { VirtualStagingFiles } from './virtual-staging-files.js';
import { RenderQueueService } from './render-queue.service.js';
import { VirtualStagingStatisticsService } from './virtual-staging-statistics.service.js';
import { VirtualStagingsController } from './virtual-stagings.controller.js';
import { VirtualStagingsService } from './virtual-stagings.service.js';

/** Virtual staging: pictures of tours, the queue that renderers work from, and what comes of it. */
@Module({
  imports: [AttachmentsModule, ToursModule],
  controllers: [VirtualStagingsController, RenderersController],
  providers: [VirtualStagingFiles, RenderQueueService, VirtualStagingStatisticsService, VirtualStagingsService],
  exports: [VirtualStagingStatisticsService],
})
export class VirtualStagingModule {}
