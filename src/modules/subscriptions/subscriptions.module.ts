import { Module, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { AccessPoliciesModule } from '../access-policies/access-policies.module.js';
import { AccessPoliciesService } from '../access-policies/access-policies.service.js';
import { AuditModule } from '../audit/audit.module.js';
import { EventsModule } from '../events/events.module.js';
import { UsersModule } from '../users/users.module.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryAttempts } from './delivery-attempts.js';
import { DeliveryDispatcher } from './delivery-dispatcher.js';
import { SubscriptionReferences } from './subscription-references.js';
import { SubscriptionsController } from './subscriptions.controller.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** Delivers events to the receivers of callers, as signed webhooks. */
@Module({
  imports: [AccessPoliciesModule, AuditModule, EventsModule, UsersModule],
  controllers: [SubscriptionsController],
  providers: [
    DeliveriesRepository,
    DeliveriesService,
    DeliveryAttempts,
    DeliveryDispatcher,
    SubscriptionReferences,
    SubscriptionsRepository,
    SubscriptionsService,
  ],
  exports: [SubscriptionsService],
})
export class SubscriptionsModule implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly deliveries: DeliveriesRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly policies: AccessPoliciesService,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.policies.registerHolder({
      countAssignments: (workspaceId, policyId) => this.subscriptions.countWithPolicy(workspaceId, policyId),
    });
    const { retentionDays } = this.config.events;
    this.jobs.cleanUp('old deliveries', (batch) => this.deliveries.deleteOld(batch, retentionDays));
  }
}
