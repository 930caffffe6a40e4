import { applyDecorators, Body, Controller, Delete, Get, Param, Patch, Post, Query, type Type } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type AcceptedVersions, IfMatch, replyWithEtag } from '../../platform/http/conditional-requests.js';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { NoIdempotencyKey } from '../../platform/http/idempotency/no-idempotency-key.decorator.js';
import { PageOf, PageQueryDto } from '../../platform/http/page.dto.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryDto, DeliveryPageDto } from './dto/deliveries.dto.js';
import {
  ChangeSubscriptionDto,
  CreateSubscriptionDto,
  ReplayQueryDto,
  SubscriptionDto,
} from './dto/subscriptions.dto.js';
import { SubscriptionsService } from './subscriptions.service.js';
import { withMessage } from '../../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { POLICY_ERRORS } from '../access-policies/access-policies.errors.js';
import { EVENT_ERRORS } from '../events/events.errors.js';
import { SUBSCRIPTION_ERRORS } from './subscriptions.errors.js';

class SubscriptionPageDto extends PageOf(SubscriptionDto) {}

const Route = (summary: string, dto: Type | null, status: 200 | 201 = 200, description?: string) =>
  applyDecorators(
    RequireScope('write:workspaces', 'owner'),
    ApiOperation({ summary, description }),
    Enveloped(dto, { status }),
    ApiErrors(withMessage(HTTP_ERRORS.not_found, 'The subscription was not found. Check the ID.')),
  );

const EXAMPLE = { url: 'https://example.com/webhooks', events: ['note.*', 'table.rows_changed'] };

/** Subscriptions to the events of a workspace, and their deliveries. */
@ApiTags('Events')
@Controller('v2/api/workspaces/:workspaceId/subscriptions')
export class SubscriptionsController {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly deliveries: DeliveriesService,
  ) {}

  @Post()
  // The stored response would contain the secret.
  @NoIdempotencyKey()
  @Route('Subscribe to events', SubscriptionDto, 201)
  @ApiErrors(
    SUBSCRIPTION_ERRORS.too_many_subscriptions,
    SUBSCRIPTION_ERRORS.invalid_url,
    POLICY_ERRORS.policy_not_assignable,
  )
  @ApiBody({ type: CreateSubscriptionDto, examples: { first: { value: EXAMPLE } } })
  create(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Body() body: CreateSubscriptionDto,
  ) {
    return this.subscriptions.create(caller, workspaceId, body);
  }

  @Get()
  @Route('List subscriptions', SubscriptionPageDto)
  list(@Param('workspaceId', UuidPipe) workspaceId: string, @Query() query: PageQueryDto) {
    return this.subscriptions.list(workspaceId, query);
  }

  @Get(':id')
  @Route('Get a subscription', SubscriptionDto)
  async get(@Param('workspaceId', UuidPipe) workspaceId: string, @Param('id', UuidPipe) subscriptionId: string) {
    return replyWithEtag(await this.subscriptions.get({ workspaceId, subscriptionId }));
  }

  @Patch(':id')
  @Route('Change a subscription', SubscriptionDto, 200, 'Changes its fields, enables or disables it.')
  @ApiErrors(SUBSCRIPTION_ERRORS.invalid_url, POLICY_ERRORS.policy_not_assignable)
  @ApiBody({ type: ChangeSubscriptionDto, examples: { first: { value: { events: ['note.*'] } } } })
  async change(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) subscriptionId: string,
    @Body() body: ChangeSubscriptionDto,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return replyWithEtag(await this.subscriptions.change(caller, { workspaceId, subscriptionId }, body, accepted));
  }

  @Delete(':id')
  @Route('Delete a subscription and its deliveries', null)
  delete(
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) subscriptionId: string,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return this.subscriptions.delete({ workspaceId, subscriptionId }, accepted);
  }

  @Post(':id/secret')
  @NoIdempotencyKey()
  @Route('Issue a new signing secret', SubscriptionDto)
  rotateSecret(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) subscriptionId: string,
  ) {
    return this.subscriptions.rotateSecret(caller, { workspaceId, subscriptionId });
  }

  @Post(':id/ping')
  @NoIdempotencyKey()
  @Route('Send a ping', DeliveryDto)
  @ApiErrors(SUBSCRIPTION_ERRORS.subscription_disabled)
  ping(@Param('workspaceId', UuidPipe) workspaceId: string, @Param('id', UuidPipe) subscriptionId: string) {
    return this.deliveries.ping({ workspaceId, subscriptionId });
  }

  @Post(':id/replay')
  @NoIdempotencyKey()
  @Route('Send events again', SubscriptionDto)
  @ApiErrors(SUBSCRIPTION_ERRORS.subscription_disabled, EVENT_ERRORS.events_removed)
  async replay(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) subscriptionId: string,
    @Query() { from }: ReplayQueryDto,
  ) {
    const key = { workspaceId, subscriptionId };
    await this.subscriptions.replay(caller, key, from);
    return this.subscriptions.get(key);
  }

  @Get(':id/deliveries')
  @Route('List deliveries', DeliveryPageDto, 200, 'The newest first.')
  listDeliveries(
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) subscriptionId: string,
    @Query() query: PageQueryDto,
  ) {
    return this.deliveries.list({ workspaceId, subscriptionId }, query);
  }

  @Post(':id/deliveries/:deliveryId/redeliver')
  @NoIdempotencyKey()
  @Route('Repeat a delivery', DeliveryDto)
  @ApiErrors(SUBSCRIPTION_ERRORS.subscription_disabled)
  redeliver(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) subscriptionId: string,
    @Param('deliveryId', UuidPipe) deliveryId: string,
  ) {
    return this.deliveries.redeliver(caller, { workspaceId, subscriptionId }, deliveryId);
  }
}
