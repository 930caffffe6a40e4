import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { type AcceptedVersions, IfMatch, replyWithEtag } from '../../platform/http/conditional-requests.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { BulkQueryDto, MAX_BULK_ITEMS } from '../../records/bulk-create.dto.js';
import { selectFields } from '../../records/field-selection.js';
import { defineRecordRoutes, replyToBulk, replyToUpsert } from '../../records/record-routes.decorator.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import {
  ChangeUserDto,
  CreateUserDto,
  ListUsersDto,
  MembershipQueryDto,
  UserDto,
  UserPageDto,
  UsersBulkDto,
} from './dto/user.dto.js';
import { CallerUsersService } from './caller-users.service.js';

const { CreateRoute, BulkCreateRoute, ListRoute, GetRoute, ChangeRoute, ArchiveRoute, RestoreRoute } =
  defineRecordRoutes({
    one: 'user',
    many: 'users',
    dto: UserDto,
  });
const EXAMPLE = { email: 'ada@example.com', displayName: 'Ada Lovelace', externalId: 'SAP-10004711' };
const CHANGE = { displayName: 'Ada King, Countess of Lovelace' };
const KNOWN = 'Whoever is a member already is changed by what is sent.';

@ApiTags('Users')
@Controller('v1/api/users')
export class UsersController {
  constructor(private readonly members: CallerUsersService) {}

  @Post()
  @RequireScope('write:users')
  @ApiOperation({
    summary: 'Make a user a member of a workspace',
    description: `The email names the user, who gets no mail; the operator issues credentials. Whoever is a member of workspaces of others alone is invited, and reaches nothing before having accepted. ${KNOWN}`,
  })
  @CreateRoute(CreateUserDto, EXAMPLE)
  async create(@Caller() caller: Principal, @Body() body: CreateUserDto, @IfMatch() accepted: AcceptedVersions) {
    return replyToUpsert(await this.members.create(caller, body, accepted), 'The user');
  }

  @Post('bulk')
  @RequireScope('write:users')
  @ApiOperation({
    summary: `Make up to ${MAX_BULK_ITEMS.toLocaleString('en')} users members`,
    description: `In one transaction. Each item has its own outcome. ${KNOWN}`,
  })
  @BulkCreateRoute(UsersBulkDto, EXAMPLE)
  async createAll(@Caller() caller: Principal, @Body() { items }: UsersBulkDto, @Query() query: BulkQueryDto) {
    return replyToBulk(await this.members.createAll(caller, items, query));
  }

  @Get()
  @RequireScope('read:users')
  @ListRoute(UserPageDto)
  async list(@Caller() caller: Principal, @Query() query: ListUsersDto) {
    return selectFields(await this.members.list(caller, query), query.fields);
  }

  @Get(':id')
  @RequireScope('read:users')
  @GetRoute()
  async get(@Caller() caller: Principal, @Param('id', UuidPipe) id: string, @Query() query: MembershipQueryDto) {
    return replyWithEtag(await this.members.get(caller, id, query));
  }

  @Patch(':id')
  @RequireScope('write:users')
  @ChangeRoute(ChangeUserDto, CHANGE)
  async change(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @Query() query: MembershipQueryDto,
    @Body() body: ChangeUserDto,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return replyWithEtag(await this.members.change(caller, id, query, body, accepted));
  }

  @Delete(':id')
  @RequireScope('write:users')
  @ApiOperation({
    summary: "End a user's membership; it can be restored",
    description:
      'At once: neither a session nor an API key of the user reaches the workspace from then on. Oneself leaves one ' +
      'workspace, named by `workspaceId`, where another remains.',
  })
  @ArchiveRoute()
  @ApiErrors(409)
  async archive(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @Query() query: MembershipQueryDto,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return replyWithEtag(await this.members.archive(caller, id, query, true, accepted));
  }

  @Post(':id/restore')
  @RequireScope('write:users')
  @RestoreRoute()
  async restore(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @Query() query: MembershipQueryDto,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return replyWithEtag(await this.members.archive(caller, id, query, false, accepted));
  }
}
