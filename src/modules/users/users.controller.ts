import { Body, Controller, Param, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import { type AcceptedVersions, IfMatch, replyWithEtag } from '../../platform/http/conditional-requests.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { BulkCreateQueryDto, MAX_BULK_ITEMS } from '../../records/bulk-create.dto.js';
import { selectFields } from '../../records/field-selection.js';
import {
  defineRecordRoutes,
  RECORD_CONFLICTS,
  replyToBulk,
  replyToUpsert,
} from '../../records/record-routes.decorator.js';
import { POLICY_ERRORS } from '../access-policies/access-policies.errors.js';
import { CallerUsersService } from './caller-users.service.js';
import {
  ChangeUserDto,
  CreateUserDto,
  ListUsersDto,
  MembershipQueryDto,
  UserDto,
  UserPageDto,
  UsersBulkDto,
} from './dto/user.dto.js';
import { USER_ERRORS } from './users.errors.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';

const CONFLICTS = [
  ...RECORD_CONFLICTS,
  USER_ERRORS.own_access,
  USER_ERRORS.last_owner,
  POLICY_ERRORS.policy_not_assignable,
];
const { CreateRoute, BulkCreateRoute, ListRoute, GetRoute, ChangeRoute, ArchiveRoute, RestoreRoute } =
  defineRecordRoutes({
    one: 'user',
    many: 'users',
    dto: UserDto,
    scopes: { read: 'read:users', write: 'write:users', archive: 'write:users' },
    roles: { read: 'reader', write: 'owner', archive: 'owner', archiveOwn: 'reader' },
    conflicts: CONFLICTS,
  });
const EXAMPLE = { email: 'ada@example.com', displayName: 'Ada Lovelace', externalId: 'SAP-10004711' };
const CHANGE = { displayName: 'Ada King, Countess of Lovelace' };
const EXISTING_MEMBER = 'For an existing member, the fields that are sent are changed.';

@ApiGroup({
  name: 'Users',
  description:
    'Users of your workspaces and the invitations that you received. A user whom you add is invited and decides.',
  guide: 'records',
})
@ObeysPolicies()
@Controller('v1/api/users')
export class UsersController {
  constructor(private readonly users: CallerUsersService) {}

  @ApiOperation({
    summary: 'Invite a user to a workspace',
    description: `The email address identifies the user. The service sends no email; the operator issues credentials. The user has no access before accepting the invitation. ${EXISTING_MEMBER}`,
  })
  @CreateRoute(CreateUserDto, EXAMPLE)
  async create(@Caller() caller: Principal, @Body() body: CreateUserDto, @IfMatch() accepted: AcceptedVersions) {
    return replyToUpsert(await this.users.create(caller, body, accepted), 'The user');
  }

  @ApiOperation({
    summary: `Invite up to ${MAX_BULK_ITEMS.toLocaleString('en')} users to workspaces`,
    description: `In one transaction, with a result per item. ${EXISTING_MEMBER}`,
  })
  @BulkCreateRoute(UsersBulkDto, EXAMPLE)
  async createAll(@Caller() caller: Principal, @Body() { items }: UsersBulkDto, @Query() query: BulkCreateQueryDto) {
    return replyToBulk(await this.users.createAll(caller, items, query));
  }

  @ListRoute(UserPageDto)
  async list(@Caller() caller: Principal, @Query() query: ListUsersDto) {
    return selectFields(await this.users.list(caller, query), query.fields);
  }

  @GetRoute()
  async get(@Caller() caller: Principal, @Param('id', UuidPipe) id: string, @Query() query: MembershipQueryDto) {
    return replyWithEtag(await this.users.get(caller, id, query));
  }

  @ChangeRoute(ChangeUserDto, CHANGE)
  async change(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @Query() query: MembershipQueryDto,
    @Body() body: ChangeUserDto,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return replyWithEtag(await this.users.change(caller, id, query, body, accepted));
  }

  @ApiOperation({
    summary: 'End the membership of a user',
    description:
      'It can be restored. Sessions and API keys of the user lose access to the workspace immediately. ' +
      'Callers may leave one of several workspaces, named by `workspaceId`, with any role.',
  })
  @ArchiveRoute()
  @ApiErrors(...CONFLICTS)
  async archive(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @Query() query: MembershipQueryDto,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return replyWithEtag(await this.users.archive(caller, id, query, true, accepted));
  }

  @RestoreRoute()
  async restore(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @Query() query: MembershipQueryDto,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return replyWithEtag(await this.users.archive(caller, id, query, false, accepted));
  }
}
