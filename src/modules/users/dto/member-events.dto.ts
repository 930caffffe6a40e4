import { ApiProperty } from '@nestjs/swagger';
import { EventType } from '../../events/event-type.decorator.js';

class MemberEventDto {
  @ApiProperty({ format: 'uuid' })
  userId: string;

  @ApiProperty({ format: 'uuid' })
  workspaceId: string;
}

@EventType('member.invited', 'A user was invited, or a membership was restored.', 'read:users')
export class MemberInvitedDto extends MemberEventDto {}

@EventType('member.joined', 'A user accepted an invitation, or the operator added the user.', 'read:users')
export class MemberJoinedDto extends MemberEventDto {}

@EventType('member.removed', 'A user was removed, or declined an invitation.', 'read:users')
export class MemberRemovedDto extends MemberEventDto {}
