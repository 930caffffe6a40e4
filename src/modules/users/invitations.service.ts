import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import { NotFoundError } from '../../../packages/errors/src/domain-error.js';
import type { Principal } from '../../platform/security/principal.js';
import type { InvitationListDto } from './dto/invitation.dto.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { MembershipsRepository } from './memberships.repository.js';
import { MembershipsService } from './memberships.service.js';
import { UsersService } from './users.service.js';

/** Invitations to the caller. An invitation grants no access until the caller accepts it. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersService,
    private readonly memberships: MembershipsService,
    private readonly invitations: MembershipsRepository,
    private readonly workspaces: WorkspacesService,
  ) {}

  /** The oldest first. */
  async list({ userId }: Principal): Promise<InvitationListDto> {
    return { items: await this.invitations.findInvitations(userId) };
  }

  /**
   * Accepts the invitation, which grants access to the workspace from the next request on; or declines it, which
   * archives the membership before it takes effect.
   *
   * @throws {NotFoundError}
   */
  async answer(caller: Principal, workspaceId: string, accepted: boolean): Promise<void> {
    const { userId: id } = caller;
    await this.database.transaction(async () => {
      await this.users.lock(id);
      const where = { workspaceId, id, archivedAt: IsNull(), acceptedAt: IsNull() };
      const [invitation] = (await this.workspaces.find(workspaceId)) ? await this.memberships.find(where) : [];
      if (!invitation) throw new NotFoundError('The invitation');
      const kind = accepted ? 'invitation_accepted' : 'invitation_declined';
      await this.memberships.change(invitation, { [accepted ? 'acceptedAt' : 'archivedAt']: new Date() }, kind, caller);
    });
  }
}
