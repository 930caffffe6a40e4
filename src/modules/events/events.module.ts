import { Module, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { EventNumbering } from './event-numbering.js';
import { EventReaderService } from './event-reader.service.js';
import { EventWaiters } from './event-waiters.js';
import { EventsController } from './events.controller.js';
import { EventsRepository } from './events.repository.js';
import { EventsService } from './events.service.js';
import { RecordEventsService } from './record-events.service.js';

/**
 * The event log of workspaces: modules record events, callers read them. Deliveries are in the module `subscriptions`.
 */
@Module({
  controllers: [EventsController],
  providers: [EventNumbering, EventReaderService, EventWaiters, EventsRepository, EventsService, RecordEventsService],
  exports: [EventReaderService, EventsService, RecordEventsService],
})
export class EventsModule implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly repository: EventsRepository,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    const { retentionDays } = this.config.events;
    this.jobs.cleanUp('old events', (batch) => this.repository.deleteOld(batch, retentionDays));
  }
}
