import { Module, type OnModuleInit } from '@nestjs/common';
import { EffectiveHeaders } from '../../platform/http/idempotency/effective-headers.js';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { EventsModule } from '../events/events.module.js';
import { ToursModule } from '../tours/tours.module.js';
import { CLAIM_TOKEN_HEADER } from './claim-token.decorator.js';
import { RenderQueueRepository } from './render-queue.repository.js';
import { RenderQueueService } from './render-queue.service.js';
import { RenderersController } from './renderers.controller.js';
import { VirtualStagingImages } from './virtual-staging-images.js';
import { VirtualStagingStatisticsService } from './virtual-staging-statistics.service.js';
import { VirtualStagingsController } from './virtual-stagings.controller.js';
import { VirtualStagingsService } from './virtual-stagings.service.js';

/** Virtual staging: render jobs for images of tours, and the queue that renderers claim them from. */
@Module({
  imports: [AttachmentsModule, EventsModule, ToursModule],
  controllers: [VirtualStagingsController, RenderersController],
  providers: [
    RenderQueueRepository,
    RenderQueueService,
    VirtualStagingImages,
    VirtualStagingStatisticsService,
    VirtualStagingsService,
  ],
  exports: [VirtualStagingStatisticsService],
})
export class VirtualStagingModule implements OnModuleInit {
  constructor(private readonly effectiveHeaders: EffectiveHeaders) {}

  onModuleInit(): void {
    this.effectiveHeaders.add(CLAIM_TOKEN_HEADER);
  }
}
