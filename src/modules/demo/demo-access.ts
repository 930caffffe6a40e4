import { Injectable } from '@nestjs/common';
import { AccessPoliciesService } from '../access-policies/access-policies.service.js';
import { ApiKeysService } from '../auth/api-keys.service.js';
import { type ClientCredentials, ClientsService } from '../auth/clients.service.js';
import { CallerUsersService } from '../users/caller-users.service.js';
import { UserAdministrationService } from '../users/user-administration.service.js';
import { DEMO_POLICY } from './demo-plant.js';
import type { DemoIds } from './demo-workspace.js';

const RESTRICTED_EMAIL = 'utilities@atrium.local';

/** The credentials of the demo. */
export interface DemoAccessKeys extends ClientCredentials {
  apiKey: string;
  /** The credentials of a member whom an access policy restricts to one part of the plant. */
  restricted: ClientCredentials;
}

/** Issues the credentials of the demo: those of its owner, and of a member with an access policy. */
@Injectable()
export class DemoAccess {
  constructor(
    private readonly clients: ClientsService,
    private readonly apiKeys: ApiKeysService,
    private readonly administration: UserAdministrationService,
    private readonly users: CallerUsersService,
    private readonly policies: AccessPoliciesService,
  ) {}

  async issue(ids: DemoIds): Promise<DemoAccessKeys> {
    const client = await this.clients.create(ids.userId);
    const { apiKey } = await this.apiKeys.create(ids.userId, ids.workspaceId);
    return { ...client, apiKey, restricted: await this.clients.create(await this.ensureMember(ids)) };
  }

  /** @returns the ID of the member. */
  private async ensureMember({ workspaceId, userId }: DemoIds): Promise<string> {
    const name = 'Demo user of the utilities';
    const { id } = await this.administration.create(RESTRICTED_EMAIL, [workspaceId], name, 'editor');
    const { items } = await this.policies.list(workspaceId, { limit: 100 });
    const policy =
      items.find(({ name: existing }) => existing === DEMO_POLICY.name) ??
      (await this.policies.create(workspaceId, DEMO_POLICY, userId));
    const caller = { userId, workspaceIds: [workspaceId], scopes: ['api' as const] };
    await this.users.change(caller, id, { workspaceId }, { policyId: policy.id }, undefined);
    return id;
  }
}
