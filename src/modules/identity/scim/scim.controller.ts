import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { UuidPipe } from '../../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../../platform/security/principal.js';
import { ScimEndpoint } from './scim-endpoint.decorator.js';
import { type ScimQuery, ScimService } from './scim.service.js';

/**
 * SCIM 2.0 for the identity provider of a workspace. It describes itself by `Schemas` and `ServiceProviderConfig`, so
 * the OpenAPI document leaves it out.
 */
@ApiExcludeController()
@Controller('scim/v2/:workspaceId')
export class ScimController {
  constructor(private readonly scim: ScimService) {}

  @Get('ServiceProviderConfig')
  @ScimEndpoint()
  config() {
    return this.scim.describe('ServiceProviderConfig');
  }

  @Get('ResourceTypes')
  @ScimEndpoint()
  resourceTypes() {
    return this.scim.describe('ResourceType');
  }

  @Get('ResourceTypes/:name')
  @ScimEndpoint()
  resourceType(@Param('name') name: string) {
    return this.scim.describe('ResourceType', name);
  }

  @Get('Schemas')
  @ScimEndpoint()
  schemas() {
    return this.scim.describe('Schema');
  }

  @Get('Schemas/:name')
  @ScimEndpoint()
  schema(@Param('name') name: string) {
    return this.scim.describe('Schema', name);
  }

  @Get('Users')
  @ScimEndpoint()
  listUsers(@Caller() caller: Principal, @Param('workspaceId', UuidPipe) workspaceId: string, @Query() query: object) {
    return this.scim.list({ type: 'User', workspaceId, caller }, toQuery(query));
  }

  @Post('Users')
  @ScimEndpoint()
  async createUser(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Body() body: object,
    @Res({ passthrough: true }) response: Response,
  ) {
    return setLocation(await this.scim.create({ type: 'User', workspaceId, caller }, body), response);
  }

  @Get('Users/:id')
  @ScimEndpoint()
  getUser(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id') id: string,
    @Query() query: object,
  ) {
    return this.scim.get({ type: 'User', workspaceId, caller }, id, toQuery(query));
  }

  @Put('Users/:id')
  @ScimEndpoint()
  replaceUser(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id') id: string,
    @Body() body: object,
  ) {
    return this.scim.replace({ type: 'User', workspaceId, caller }, id, body);
  }

  @Patch('Users/:id')
  @ScimEndpoint()
  changeUser(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id') id: string,
    @Body() body: object,
  ) {
    return this.scim.change({ type: 'User', workspaceId, caller }, id, body);
  }

  @Delete('Users/:id')
  @HttpCode(204)
  @ScimEndpoint()
  removeUser(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id') id: string,
  ) {
    return this.scim.remove({ type: 'User', workspaceId, caller }, id);
  }

  @Get('Groups')
  @ScimEndpoint()
  listGroups(@Caller() caller: Principal, @Param('workspaceId', UuidPipe) workspaceId: string, @Query() query: object) {
    return this.scim.list({ type: 'Group', workspaceId, caller }, toQuery(query));
  }

  @Post('Groups')
  @ScimEndpoint()
  async createGroup(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Body() body: object,
    @Res({ passthrough: true }) response: Response,
  ) {
    return setLocation(await this.scim.create({ type: 'Group', workspaceId, caller }, body), response);
  }

  @Get('Groups/:id')
  @ScimEndpoint()
  getGroup(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id') id: string,
    @Query() query: object,
  ) {
    return this.scim.get({ type: 'Group', workspaceId, caller }, id, toQuery(query));
  }

  @Put('Groups/:id')
  @ScimEndpoint()
  replaceGroup(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id') id: string,
    @Body() body: object,
  ) {
    return this.scim.replace({ type: 'Group', workspaceId, caller }, id, body);
  }

  /** 204, as Entra ID and Okta document it: a group may have many members. */
  @Patch('Groups/:id')
  @HttpCode(204)
  @ScimEndpoint()
  async changeGroup(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id') id: string,
    @Body() body: object,
  ) {
    await this.scim.change({ type: 'Group', workspaceId, caller }, id, body);
  }

  @Delete('Groups/:id')
  @HttpCode(204)
  @ScimEndpoint()
  removeGroup(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id') id: string,
  ) {
    return this.scim.remove({ type: 'Group', workspaceId, caller }, id);
  }
}

/** A parameter that is sent repeatedly is absent. */
function toQuery(query: object): ScimQuery {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => typeof value === 'string'));
}

function setLocation(resource: object, response: Response): object {
  response.location((resource as { meta: { location: string } }).meta.location);
  return resource;
}
