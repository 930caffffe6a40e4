import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import { NotFoundError } from '../../platform/http/domain-error.js';
import type { Principal } from '../../platform/security/principal.js';
import type { InvitationDto } from './dto/invitation.dto.js';
import { MembershipsRepository } from './memberships.repository.js';
import { SignInNeededError } from './users.errors.js';
import { UsersService } from './users.service.js';

/** What others have made the caller a member of, and what the caller says to it. Until then it counts for nothing. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersService,
    private readonly members: MembershipsRepository,
  ) {}

  /** The oldest first. @throws {SignInNeededError} */
  async list(caller: Principal): Promise<InvitationDto[]> {
    requireSession(caller);
    return this.database.query<InvitationDto>(
      `SELECT w.id AS "workspaceId", w.name AS "workspaceName", m.created_at AS "createdAt"
         FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
        WHERE m.user_id = $1 AND m.archived_at IS NULL AND m.accepted_at IS NULL
        ORDER BY m.created_at, w.id`,
      [caller.userId],
    );
  }

  /** The caller reaches the workspace from the next request on. @throws {SignInNeededError | NotFoundError} */
  accept(caller: Principal, workspaceId: string): Promise<void> {
    return this.answer(caller, workspaceId, true);
  }

  /** The membership has ended before it began. @throws {SignInNeededError | NotFoundError} */
  decline(caller: Principal, workspaceId: string): Promise<void> {
    return this.answer(caller, workspaceId, false);
  }

  private async answer(caller: Principal, workspaceId: string, accepted: boolean): Promise<void> {
    requireSession(caller);
    const { userId: id } = caller;
    await this.database.transaction(async () => {
      await this.users.lock(id);
      const where = { workspaceId, id, archivedAt: IsNull(), acceptedAt: IsNull() };
      const [member] = await this.members.find(where);
      if (!member) throw new NotFoundError('The invitation');
      const now = new Date();
      if (accepted) await this.members.write(member, { acceptedAt: now }, 'invitation_accepted', caller);
      else await this.members.write(member, { archivedAt: now }, 'invitation_declined', caller);
    });
  }
}

/** An API key may be in other hands than its user's, and is bound to one workspace. */
function requireSession({ sessionId }: Principal): void {
  if (!sessionId) throw new SignInNeededError();
}
