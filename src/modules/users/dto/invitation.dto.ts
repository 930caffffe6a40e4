import { ApiProperty } from '@nestjs/swagger';

/** A workspace that invited the caller, who has not accepted yet. */
export class InvitationDto {
  @ApiProperty({ format: 'uuid' })
  workspaceId: string;

  @ApiProperty({ example: 'Northern plants' })
  workspaceName: string;

  createdAt: Date;
}

/** All invitations of the caller. */
export class InvitationListDto {
  @ApiProperty({ type: [InvitationDto] })
  items: InvitationDto[];
}
