import { ApiProperty } from '@nestjs/swagger';
import { EventType } from '../../events/event-type.decorator.js';

class MemberEventDto {
  @ApiProperty({ format: 'uuid' })
  userId: string;

  @ApiProperty({ format: 'uuid' })
  workspaceId: string;
}

/** As the response to the request, the event does not state whether the user must accept: that would reveal other memberships. */
@EventType('member.invited', 'A user was added or restored, and may need to accept.', 'read:users')
export class MemberInvitedDto extends MemberEventDto {}

@EventType('member.joined', 'A user accepted an invitation, or the operator created the user.', 'read:users')
export class MemberJoinedDto extends MemberEventDto {}

@EventType('member.removed', 'A user was removed, or declined an invitation.', 'read:users')
export class MemberRemovedDto extends MemberEventDto {}
