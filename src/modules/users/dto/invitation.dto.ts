import { ApiProperty } from '@nestjs/swagger';

/** A workspace that has made the caller a member, which the caller has not accepted yet. */
export class InvitationDto {
  @ApiProperty({ format: 'uuid' })
  workspaceId: string;

  @ApiProperty({ example: 'Northern plants' })
  workspaceName: string;

  createdAt: Date;
}
