import { Injectable } from '@nestjs/common';
import { parseStoredJson } from '../../../../packages/sql/src/stored-json.js';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import type { Principal } from '../../../platform/security/principal.js';
import { ScimGroupsService } from './scim-groups.service.js';
import { lowerUserNames, readPatch, readResource, type ScimType } from './scim-input.js';
import { loadScimmy, MAX_RESULTS, type ScimContext, type ScimStore, toRequestError } from './scim-resources.js';
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
  sortBy?: string;
  sortOrder?: string;
  startIndex?: string;
  count?: string;
}

interface Resource {
  id: string;
  /** Absent in the result of a deletion. */
  meta?: { location?: string };
}

type Scimmy = Awaited<ReturnType<typeof loadScimmy>>;
type Handled = InstanceType<Scimmy['Resources']['User']>;

/** Users and groups by SCIM 2.0 (RFC 7643, RFC 7644). `scimmy` implements the protocol, and the stores the storage. */
@Injectable()
export class ScimService {
  private readonly stores: Record<ScimType, ScimStore<never>>;

  constructor(
    users: ScimUsersService,
    groups: ScimGroupsService,
    private readonly database: Database,
    private readonly config: Config,
  ) {
    this.stores = { User: users, Group: groups };
  }

  /** @throws {ScimError | NotFoundError} */
  get(target: ScimTarget, id: string, query: ScimQuery): Promise<object> {
    return this.run(target, id, query, (resource, context) => resource.read(context), false);
  }

  /** A page of a list. The library returns the first page for an index after the end. @throws {ScimError} */
  async list(target: ScimTarget, query: ScimQuery): Promise<object> {
    const { startIndex = '1', count = String(MAX_RESULTS), ...others } = query;
    const read = (resource: Handled, context: ScimContext) => {
      const { sortBy, sortOrder } = others;
      // The library returns 20 by default.
      resource.constraints = { sortBy, sortOrder, count: Number.MAX_SAFE_INTEGER } as never;
      return resource.read(context);
    };
    const all = (await this.run(target, undefined, others, read, false)) as { schemas: string[]; Resources: object[] };
    const start = Math.max(Number.parseInt(startIndex, 10) || 1, 1);
    const length = Math.min(Math.max(Number.parseInt(count, 10) || 0, 0), MAX_RESULTS);
    const page = all.Resources.slice(start - 1, start - 1 + length);
    return {
      schemas: all.schemas,
      totalResults: all.Resources.length,
      startIndex: start,
      itemsPerPage: page.length,
      Resources: page,
    };
  }

  /** @throws {ScimError | LastOwnerError} */
  create(target: ScimTarget, body: unknown): Promise<object> {
    return this.run(target, undefined, {}, (resource, context) =>
      resource.write(readResource(target.type, body), context),
    );
  }

  /** @throws {ScimError | NotFoundError | LastOwnerError} */
  replace(target: ScimTarget, id: string, body: unknown): Promise<object> {
    return this.run(target, id, {}, (resource, context) => resource.write(readResource(target.type, body), context));
  }

  /** Changes the attributes that the service stores. @throws {ScimError | NotFoundError | LastOwnerError} */
  change(target: ScimTarget, id: string, body: unknown): Promise<object> {
    const patch = readPatch(target.type, body);
    return this.run(target, id, {}, async (resource, context) => {
      const changed = patch && ((await resource.patch(patch as never, context)) as object | undefined);
      return changed ?? resource.read(context);
    });
  }

  /** @throws {NotFoundError | LastOwnerError} */
  async remove(target: ScimTarget, id: string): Promise<void> {
    await this.run(target, id, {}, async (resource, context) => {
      await resource.dispose(context);
      return {};
    });
  }

  /** `ServiceProviderConfig`, or all `ResourceTypes` or `Schemas`, or one of them. @throws {NotFoundError} */
  async describe(kind: 'ServiceProviderConfig' | 'ResourceType' | 'Schema', id?: string): Promise<object> {
    const { Resources } = await loadScimmy();
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
    const { Resources } = await loadScimmy();
    const context: ScimContext = { caller, workspaceId: workspaceId.toLowerCase(), store: this.stores[type] };
    const { filter, attributes, excludedAttributes } = query;
    // The library rejects parameters that are undefined.
    const parameters: Record<string, string> = {};
    if (filter !== undefined) parameters['filter'] = lowerUserNames(filter);
    if (attributes !== undefined) parameters['attributes'] = attributes;
    if (excludedAttributes !== undefined) parameters['excludedAttributes'] = excludedAttributes;
    const run = async () => {
      context.failure = undefined;
      try {
        const Resource = Resources[type] as typeof Resources.User;
        // As services compare IDs as texts.
        const resource =
          id === undefined ? new Resource(parameters as never) : new Resource(id.toLowerCase(), parameters);
        return toPlain(await work(resource, context));
      } catch (error) {
        throw toRequestError(error, context);
      }
    };
    return this.locate(await (isChange ? this.database.transaction(run) : run()), type, context.workspaceId);
  }

  private locate(result: object, type: ScimType, workspaceId: string): object {
    const url = `${this.config.http.publicUrl}/scim/v2/${workspaceId}/${type}s`;
    const resources = 'Resources' in result ? (result.Resources as Resource[]) : [result as Resource];
    for (const { id, meta } of resources) if (meta) meta.location = `${url}/${id}`;
    return result;
  }
}

/** The objects of `scimmy` have accessors and private parts. */
function toPlain(result: object): object {
  return parseStoredJson(JSON.stringify(result)) as object;
}
