import { Injectable, Logger } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { PolicyNotAssignableError } from '../access-policies/access-policies.errors.js';
import { MembershipsService } from '../users/memberships.service.js';
import type { MappedMembership } from './claim-mapping.js';

type Membership = Parameters<MembershipsService['change']>[0];

/** What the groups of tokens and of SCIM make of memberships. */
@Injectable()
export class MappedMembershipsService {
  private readonly logger = new Logger('MappedMembershipsService');

  constructor(private readonly memberships: MembershipsService) {}

  /**
   * Sets role and policy of a locked user. Suspends the membership if the policy does not exist: what the group permits
   * is then unknown.
   *
   * @throws {LastOwnerError}
   */
  async apply(
    userId: string,
    { workspaceId, role, policyId }: MappedMembership,
    actor: Parameters<MembershipsService['change']>[3],
  ): Promise<void> {
    const [membership] = await this.memberships.find({ workspaceId, id: userId, archivedAt: IsNull() });
    if (!membership) return;
    const change = (values: Partial<Membership>) =>
      this.memberships.change(membership, values, 'member_changed', actor);
    await change({ role, policyId }).catch(async (error: unknown) => {
      if (!(error instanceof PolicyNotAssignableError)) throw error;
      await change({ status: 'suspended' });
      this.logger.warn(
        `A trusted issuer maps groups to the access policy ${policyId} of the workspace ${workspaceId}, which does not ` +
          `exist. The membership of the user ${userId} is suspended.`,
      );
    });
  }
}
