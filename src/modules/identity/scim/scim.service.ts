import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../../../packages/errors/src/domain-error.js';
import { parseStoredJson } from '../../../../packages/sql/src/stored-json.js';
import { isUuid } from '../../../../packages/sql/src/uuid.js';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import type { Principal } from '../../../platform/security/principal.js';
import { ScimError } from './scim.errors.js';
import { ScimGroupsService } from './scim-groups.service.js';
import { applyFilter, isName, readFilter, readNames } from './scim-filter.js';
import { isReturned, readPatch, readResource, type ScimType } from './scim-input.js';
import {
  loadScimmy,
  MAX_RESULTS,
  type ScimContext,
  type ScimPage,
  type ScimStore,
  toRequestError,
} from './scim-resources.js';
import { ScimUsersService } from './scim-users.service.js';

/** A request to a resource type of a workspace. */
export interface ScimTarget {
  type: ScimType;
  workspaceId: string;
  caller: Principal;
}

/** Parameters of a read. */
export interface ScimQuery {
  filter?: string;
  attributes?: string;
  excludedAttributes?: string;
  startIndex?: string;
  count?: string;
}

interface Resource {
  id: string;
  /** Absent in the result of a deletion. */
  meta?: { location?: string };
}

interface ResourceList {
  Resources?: Resource[];
}

type Scimmy = Awaited<ReturnType<typeof loadScimmy>>;
type Handled = InstanceType<Scimmy['Resources']['User']>;

/** Users and groups by SCIM 2.0 (RFC 7643, RFC 7644). `scimmy` implements the protocol, and the stores the storage. */
@Injectable()
export class ScimService {
  private readonly stores: Record<ScimType, ScimStore<never>>;

  constructor(
    users: ScimUsersService,
    private readonly groups: ScimGroupsService,
    private readonly database: Database,
    private readonly config: Config,
  ) {
    this.stores = { User: users, Group: groups };
  }

  /** @throws {ScimError | NotFoundError} */
  get(target: ScimTarget, id: string, query: ScimQuery): Promise<object> {
    return this.run(target, id, query, (resource, context) => resource.read(context), false);
  }

  /** @throws {ScimError} */
  async list(target: ScimTarget, query: ScimQuery): Promise<object> {
    const { startIndex, count, ...others } = query;
    const page: ScimPage = {
      start: Math.max(readInteger('startIndex', startIndex, 1), 1),
      length: Math.min(Math.max(readInteger('count', count, MAX_RESULTS), 0), MAX_RESULTS),
      comparesMembers: /\bmembers\b/i.test(others.filter ?? ''),
      total: 0,
    };
    const read = (resource: Handled, context: ScimContext) => {
      // The library returns 20 by default.
      resource.constraints = { count: MAX_RESULTS } as never;
      context.page = page;
      return resource.read(context);
    };
    const found = (await this.run(target, undefined, others, read, false)) as {
      schemas: string[];
      Resources: object[];
    };
    return {
      schemas: found.schemas,
      totalResults: page.total,
      startIndex: page.start,
      itemsPerPage: found.Resources.length,
      Resources: found.Resources,
    };
  }

  /** @throws {ScimError | LastOwnerError} */
  create(target: ScimTarget, body: unknown): Promise<object> {
    return this.write(target, undefined, body);
  }

  /** @throws {ScimError | NotFoundError | LastOwnerError} */
  replace(target: ScimTarget, id: string, body: unknown): Promise<object> {
    return this.write(target, id, body);
  }

  private write(target: ScimTarget, id: string | undefined, body: unknown): Promise<object> {
    const { resource: values, members } = readResource(target.type, body);
    return this.run(target, id, {}, (resource, context) => {
      context.members = members;
      return resource.write(values, context);
    });
  }

  /** Changes the attributes that the service stores. @throws {ScimError | NotFoundError | LastOwnerError} */
  change(target: ScimTarget, id: string, body: unknown): Promise<object> {
    const { schemas, operations, memberChanges } = readPatch(target.type, body);
    return this.run(target, id, {}, async (resource, context) => {
      const patch = { schemas, Operations: operations } as never;
      const changed =
        operations.length > 0 ? ((await resource.patch(patch, context)) as object | undefined) : undefined;
      if (memberChanges.length > 0) await this.groups.changeMembers(context, id.toLowerCase(), memberChanges);
      return changed ?? resource.read(context);
    });
  }

  /** @throws {ScimError | NotFoundError | LastOwnerError} */
  async remove(target: ScimTarget, id: string): Promise<void> {
    await this.run(target, id, {}, async (resource, context) => {
      await resource.dispose(context);
      return {};
    });
  }

  /** `ServiceProviderConfig`, or all `ResourceTypes` or `Schemas`, or one of them. @throws {NotFoundError} */
  async describe(kind: 'ServiceProviderConfig' | 'ResourceType' | 'Schema', id?: string): Promise<object> {
    const { Resources } = await loadScimmy();
    if (id !== undefined && !isName(id)) throw new NotFoundError('The resource');
    const Resource = Resources[kind] as new (id?: string) => { read(): Promise<object> };
    try {
      return toPlain(await new Resource(id).read());
    } catch (error) {
      throw toRequestError(error, {} as ScimContext);
    }
  }

  /** A change is one transaction: a part of it is never stored. */
  private async run(
    { type, workspaceId, caller }: ScimTarget,
    id: string | undefined,
    query: ScimQuery,
    work: (resource: Handled, context: ScimContext) => Promise<object>,
    isChange = true,
  ): Promise<object> {
    // The library makes a filter of it.
    if (id !== undefined && !isUuid(id)) throw new NotFoundError(`The ${type.toLowerCase()}`);
    const { Resources } = await loadScimmy();
    const context: ScimContext = { caller, workspaceId: workspaceId.toLowerCase(), store: this.stores[type] };
    const { filter, attributes, excludedAttributes } = query;
    // The library rejects parameters that are undefined.
    const parameters: Record<string, string> = {};
    if (filter !== undefined) parameters['filter'] = readFilter(filter);
    if (attributes !== undefined) parameters['attributes'] = readNames(attributes);
    if (excludedAttributes !== undefined) parameters['excludedAttributes'] = readNames(excludedAttributes);
    const run = async () => {
      context.failure = undefined;
      try {
        const Resource = Resources[type] as typeof Resources.User;
        // As services compare IDs as texts.
        const resource = applyFilter(() =>
          id === undefined ? new Resource(parameters as never) : new Resource(id.toLowerCase(), parameters),
        );
        return toPlain(await work(resource, context));
      } catch (error) {
        throw toRequestError(error, context);
      }
    };
    const result = (await (isChange ? this.database.transaction(run) : run())) as Partial<Resource> & ResourceList;
    const url = `${this.config.http.publicUrl}/scim/v2/${context.workspaceId}/${type}s`;
    for (const { id, meta } of result.Resources ?? [result]) if (meta) meta.location = `${url}/${id}`;
    return type === 'Group' && isReturned('members', parameters)
      ? this.addMembers(result, context.workspaceId)
      : result;
  }

  /** A page ends before a group with which it would have too many members; the next one begins with it. */
  private async addMembers(result: Partial<Resource> & ResourceList, workspaceId: string): Promise<object> {
    const resources = result.Resources ?? [result];
    const members = await this.groups.listMembers(
      workspaceId,
      resources.flatMap(({ id }) => id ?? []),
    );
    const complete = resources.map((group) => ({ ...group, members: members.get(group.id!) }));
    if (!result.Resources) return complete[0]!;
    return { ...result, Resources: complete.filter((group) => group.members !== undefined) };
  }
}

/** @throws {ScimError} */
function readInteger(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^-?\d{1,15}$/.test(text)) throw new ScimError('invalidValue', `${name} must be a whole number.`);
  return Number(text);
}

/** The objects of `scimmy` have accessors and private parts. */
function toPlain(result: object): object {
  return parseStoredJson(JSON.stringify(result)) as object;
}
