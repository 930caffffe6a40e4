import {
  Body,
  Controller,
  createParamDecorator,
  Delete,
  type ExecutionContext,
  Get,
  HttpCode,
  Param,
  Patch,
  Post,
  Put,
  Query,
  Res,
  type Type,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ScimError } from './scim.errors.js';
import { ScimEndpoint } from './scim-endpoint.decorator.js';
import type { ScimType } from './scim-input.js';
import { type ScimQuery, ScimService, type ScimTarget } from './scim.service.js';

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
}

/** Injects what a request to the resources of a type addresses. The access guard has checked the workspace. */
const Target = createParamDecorator((type: ScimType, context: ExecutionContext): ScimTarget => {
  const { principal, params } = context.switchToHttp().getRequest<Request>();
  return { type, workspaceId: (params['workspaceId'] as string).toLowerCase(), caller: principal! };
});

/** Each type has handlers of its own, because metadata is stored on them. */
function createResourcesController(type: ScimType): Type {
  @ApiExcludeController()
  @Controller(`scim/v2/:workspaceId/${type}s`)
  class ScimResourcesController {
    constructor(private readonly scim: ScimService) {}

    @Get()
    @ScimEndpoint()
    list(@Target(type) target: ScimTarget, @Query() query: Record<string, unknown>) {
      return this.scim.list(target, toQuery(query));
    }

    @Post()
    @ScimEndpoint()
    async create(
      @Target(type) target: ScimTarget,
      @Body() body: object,
      @Res({ passthrough: true }) response: Response,
    ) {
      return setLocation(await this.scim.create(target, body), response);
    }

    @Get(':id')
    @ScimEndpoint()
    get(@Target(type) target: ScimTarget, @Param('id') id: string, @Query() query: Record<string, unknown>) {
      return this.scim.get(target, id, toQuery(query));
    }

    @Put(':id')
    @ScimEndpoint()
    replace(@Target(type) target: ScimTarget, @Param('id') id: string, @Body() body: object) {
      return this.scim.replace(target, id, body);
    }

    /** 204 for groups, as Entra ID and Okta document it: a group may have many members. */
    @Patch(':id')
    @HttpCode(type === 'Group' ? 204 : 200)
    @ScimEndpoint()
    async change(@Target(type) target: ScimTarget, @Param('id') id: string, @Body() body: object) {
      const changed = await this.scim.change(target, id, body);
      return type === 'Group' ? undefined : changed;
    }

    @Delete(':id')
    @HttpCode(204)
    @ScimEndpoint()
    remove(@Target(type) target: ScimTarget, @Param('id') id: string) {
      return this.scim.remove(target, id);
    }
  }
  Object.defineProperty(ScimResourcesController, 'name', { value: `Scim${type}sController` });
  return ScimResourcesController;
}

export const ScimUsersController = createResourcesController('User');
export const ScimGroupsController = createResourcesController('Group');

const PARAMETERS = ['filter', 'attributes', 'excludedAttributes', 'startIndex', 'count'] as const;

/** Without the parameters that SCIM does not know. @throws {ScimError} if one is sent repeatedly */
function toQuery(query: Record<string, unknown>): ScimQuery {
  const known: ScimQuery = {};
  for (const name of PARAMETERS) {
    const value = query[name];
    if (value !== undefined && typeof value !== 'string') throw new ScimError('invalidValue', `Send ${name} once.`);
    known[name] = value;
  }
  return known;
}

function setLocation(resource: object, response: Response): object {
  response.location((resource as { meta: { location: string } }).meta.location);
  return resource;
}
