import { ApiExtraModels, ApiProperty, OmitType, PickType } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import { PageOf } from '../../../platform/http/page.dto.js';
import { Email } from '../../../platform/http/validation/email.decorator.js';
import { ROLES, type Role } from '../../../platform/security/roles.js';
import { BulkOf } from '../../../records/bulk-create.dto.js';
import { ArchivableRecordDto } from '../../../records/archivable-record.dto.js';
import {
  ExternalId,
  Optional,
  OptionalId,
  OptionalOneOf,
  OptionalText,
  OptionalListOf,
  PartialOf,
} from '../../../records/record-fields.decorator.js';
import { RecordQuery } from '../../../records/record-query.dto.js';
import { USER_STATUSES, type UserStatus } from '../user.entity.js';

const NAME_LENGTH = 255;

export class CreateUserDto {
  /** Required only if the caller is a member of several workspaces. */
  @OptionalId()
  workspaceId?: string | null;

  /** Case-insensitive. */
  @Email()
  email: string;

  /** The name of the user in this workspace; each workspace has its own. */
  @OptionalText({ maxLength: NAME_LENGTH, example: 'Ada Lovelace' })
  displayName?: string | null;

  @ExternalId()
  externalId?: string | null;

  /** The role in the workspace; `editor` for a new member. A workspace must have an owner. */
  @OptionalOneOf(ROLES)
  role?: Role;

  /** The access policy that restricts the member; null removes it. An owner cannot have one. */
  @OptionalId()
  policyId?: string | null;
}

export class UsersBulkDto extends BulkOf(CreateUserDto) {}

/** What a workspace stores about a member. */
class MemberFieldsDto extends PartialOf(PickType(CreateUserDto, ['displayName', 'externalId', 'role', 'policyId'])) {}

/** Fields that are not sent stay unchanged. */
@ApiExtraModels(MemberFieldsDto)
export class ChangeUserDto extends MemberFieldsDto {
  /** A suspended user has no access to the workspace from the next request on, only to others. */
  @OptionalOneOf(USER_STATUSES)
  status?: UserStatus;
}

/** The memberships that a request concerns. */
export class MembershipQueryDto {
  @ApiProperty({
    required: false,
    format: 'uuid',
    description: 'Only the membership of this workspace; by default, those of all workspaces of the caller.',
  })
  @Optional()
  @IsUUID()
  workspaceId?: string;
}

/** A user in one workspace. */
export class MembershipDto {
  @ApiProperty({ format: 'uuid' })
  workspaceId: string;

  @ApiProperty({ type: String, nullable: true, example: 'Ada Lovelace' })
  displayName: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'SAP-10004711' })
  externalId: string | null;

  @ApiProperty({ enum: USER_STATUSES, enumName: 'UserStatus' })
  status: UserStatus;

  @ApiProperty({ enum: ROLES, enumName: 'Role' })
  role: Role;

  /** The access policy that restricts the member. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  policyId: string | null;

  createdAt: Date;

  /** Time from which the membership is valid; null while it is an invitation. */
  acceptedAt: Date | null;

  /** Time at which the membership ended. */
  archivedAt: Date | null;
}

/** A user as the caller's workspaces know it. Data of other workspaces about the same user is not visible. */
export class UserDto extends OmitType(ArchivableRecordDto, ['workspaceId']) {
  @ApiProperty({ example: 'ada@example.com' })
  email: string;

  /** In the caller's workspace; of several, name and `externalId` are those of the oldest membership with one. */
  @ApiProperty({ type: String, nullable: true, example: 'Ada Lovelace' })
  displayName: string | null;

  /** `suspended` if all memberships that have not ended are suspended. */
  @ApiProperty({ enum: USER_STATUSES, enumName: 'UserStatus' })
  status: UserStatus;

  /** The memberships in the caller's workspaces, including ended ones. */
  memberships: MembershipDto[];
}

export class ListUsersDto extends RecordQuery(UserDto, { sorts: ['email'], searched: 'email or displayName' }) {
  @OptionalListOf(USER_STATUSES)
  status?: UserStatus[];
}

export class UserPageDto extends PageOf(UserDto) {}
