import { Injectable } from '@nestjs/common';
import { InvalidRequestError } from '../../../packages/errors/src/domain-error.js';
import { AccessPoliciesService } from '../access-policies/access-policies.service.js';
import { UsersService } from '../users/users.service.js';
import type { ChangeSubscriptionDto } from './dto/subscriptions.dto.js';

/** Checks the access policy and the users that a subscription names. */
@Injectable()
export class SubscriptionReferences {
  constructor(
    private readonly policies: AccessPoliciesService,
    private readonly users: UsersService,
  ) {}

  /**
   * A subscription with the ID of a user of another workspace would receive nothing, or exclude nothing.
   *
   * @throws {PolicyNotAssignableError | InvalidRequestError}
   */
  async require(
    workspaceId: string,
    { policyId, excludedActorId, watcherId }: Pick<ChangeSubscriptionDto, 'policyId' | 'excludedActorId' | 'watcherId'>,
  ): Promise<void> {
    if (policyId) await this.policies.requireAssignable(workspaceId, policyId);
    const sent = Object.entries({ excludedActorId, watcherId }).flatMap(([field, id]) => (id ? [{ field, id }] : []));
    if (sent.length === 0) return;
    const ids = sent.map(({ id }) => id.toLowerCase());
    const known = new Set((await this.users.listMembers(workspaceId, ids)).map(({ id }) => id));
    const unknown = sent.filter(({ id }) => !known.has(id.toLowerCase()));
    if (unknown.length === 0) return;
    throw new InvalidRequestError(
      unknown.map(({ field, id }) => {
        const message = `${field}: "${id}" is not the ID of a member of the workspace.`;
        return { field, code: 'not_found', message };
      }),
    );
  }
}
