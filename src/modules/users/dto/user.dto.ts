import { applyDecorators } from '@nestjs/common';
import { ApiProperty, OmitType, PartialType, PickType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { isEmail, IsUUID, MaxLength, ValidateBy } from 'class-validator';
import { PageOf } from '../../../platform/http/page.dto.js';
import { isStorable } from '../../../platform/http/validation/text.decorators.js';
import { BulkOf } from '../../../records/bulk-create.dto.js';
import { ArchivableRecordDto } from '../../../records/archivable-record.dto.js';
import {
  ExternalId,
  Optional,
  OptionalId,
  OptionalOneOf,
  OptionalText,
  OptionalListOf,
} from '../../../records/record-fields.decorator.js';
import { RecordQuery } from '../../../records/record-query.dto.js';
import { normalEmail } from '../email.js';
import { USER_STATUSES, type UserStatus } from '../user.entity.js';

const NAME_LENGTH = 255;
const EMAIL_LENGTH = 254;

/** An email address, as it is kept. */
function Email(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ format: 'email', maxLength: EMAIL_LENGTH, example: 'ada@example.com' }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? normalEmail(value) : value)),
    ValidateBy({
      name: 'isEmail',
      validator: {
        // What is not storable is not even asked about: class-validator would throw.
        validate: (value) => typeof value === 'string' && isStorable(value) && isEmail(value),
        defaultMessage: () => '$property must be an email address',
      },
    }),
    MaxLength(EMAIL_LENGTH),
  );
}

export class CreateUserDto {
  /** Needed only where the caller is a member of several workspaces. */
  @OptionalId()
  workspaceId?: string | null;

  /** Its case means nothing. Nothing is sent to it. */
  @Email()
  email: string;

  /** What the workspace calls the user; other workspaces have a name of their own for the same user. */
  @OptionalText({ maxLength: NAME_LENGTH, example: 'Ada Lovelace' })
  displayName?: string | null;

  @ExternalId()
  externalId?: string | null;
}

export class UsersBulkDto extends BulkOf(CreateUserDto) {}

/** What is not sent stays as it is. */
export class ChangeUserDto extends PartialType(PickType(CreateUserDto, ['displayName', 'externalId']), {
  skipNullProperties: false,
}) {
  /** A suspension ends all sessions at once. It needs every workspace of the user to be the caller's. */
  @OptionalOneOf(USER_STATUSES)
  status?: UserStatus;
}

/** How far a request goes. */
export class MembershipQueryDto {
  @ApiProperty({
    required: false,
    format: 'uuid',
    description: "The user as a member of this workspace alone; else of all the caller's.",
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

  createdAt: Date;

  /** Since when it has ended. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  archivedAt: Date | null;
}

/** A user as the caller's workspaces know it. What others know of the same user does not show. */
export class UserDto extends OmitType(ArchivableRecordDto, ['workspaceId']) {
  @ApiProperty({ example: 'ada@example.com' })
  email: string;

  /** What the workspace calls the user; of several, the one that has done so longest. So is the external id. */
  @ApiProperty({ type: String, nullable: true, example: 'Ada Lovelace' })
  displayName: string | null;

  @ApiProperty({ enum: USER_STATUSES })
  status: UserStatus;

  /** Those in the caller's workspaces, also those that have ended. */
  memberships: MembershipDto[];

  /** Null where the last one was before the user became a member. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  lastLoginAt: Date | null;

  /** Sessions that live; a user has ten at most. */
  @ApiProperty({ type: 'integer', example: 1 })
  sessionCount: number;
}

export class ListUsersDto extends RecordQuery(UserDto, { sorts: ['email'], searched: 'email or displayName' }) {
  @OptionalListOf(USER_STATUSES)
  status?: UserStatus[];
}

export class UserPageDto extends PageOf(UserDto) {}
