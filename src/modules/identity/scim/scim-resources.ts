import { DomainError, NotFoundError } from '../../../../packages/errors/src/domain-error.js';
import { WorkSlices } from '../../../../packages/json/src/work-slices.js';
import type { Principal } from '../../../platform/security/principal.js';
import { isScimErrorType, ScimError } from './scim.errors.js';
import { applyFilter } from './scim-filter.js';

type Scimmy = typeof import('scimmy').default;

/** A filter of SCIM, parsed. It matches objects in memory. */
interface ScimFilter {
  match<T>(values: readonly T[]): T[];
}

/** Who calls, and the workspace of the path. */
export interface ScimCaller {
  caller: Principal;
  workspaceId: string;
}

/**
 * Stores the resources of a type. An `Instance` has the attributes of the schema that the request contains. Members of
 * groups do not pass through `scimmy`, which needs 0.3 s for 5,000 without a pause: its groups have none.
 */
export interface ScimStore<Instance> {
  get(scim: ScimCaller, id: string): Promise<object>;
  /** All of the workspace. @param withMembers of groups: a filter compares them. */
  list(scim: ScimCaller, withMembers: boolean): AsyncIterable<object>;
  /** @param id undefined creates one. */
  save(scim: ScimContext, id: string | undefined, instance: Instance): Promise<object>;
  remove(scim: ScimCaller, id: string): Promise<void>;
}

/** What a handler needs, as `scimmy` passes it on. */
export interface ScimContext extends ScimCaller {
  store: ScimStore<never>;
  /** The members of a group that replace the former ones. */
  members?: readonly string[];
  /** Of a list. */
  page?: ScimPage;
  /** The error of a handler: `scimmy` replaces all errors that it does not know by 404. */
  failure?: unknown;
}

export interface ScimPage {
  start: number;
  length: number;
  comparesMembers: boolean;
  /** The number of resources that match. */
  total: number;
}

let loading: Promise<Scimmy> | undefined;

/** Loads `scimmy` at the first request of SCIM, and lets its resources call the store of each request. */
export function loadScimmy(): Promise<Scimmy> {
  return (loading ??= import('scimmy').then(({ default: scimmy }) => configure(scimmy)));
}

function configure(scimmy: Scimmy): Scimmy {
  const { Config, Resources } = scimmy;
  Config.set({
    patch: true,
    filter: { supported: true, maxResults: MAX_RESULTS },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'API key',
        description: 'Authorization: Bearer with an API key',
        primary: true,
      },
    ],
  });
  // Without extensions: the service stores none of their attributes.
  for (const Resource of [Resources.User, Resources.Group]) {
    const type = Resource as unknown as HandledResource;
    // Also the mappings of groups distinguish upper and lower case.
    type.schema.definition.attribute('displayName').config.caseExact = true;
    type.ingress((resource, instance, context) =>
      handle(context, () => context.store.save(context, resource.id, instance)),
    );
    type.egress((resource, context) =>
      handle(context, () =>
        resource.id === undefined ? getPage(context, resource.filter) : context.store.get(context, resource.id),
      ),
    );
    type.degress((resource, context) => handle(context, () => context.store.remove(context, resource.id!)));
    Resources.declare(Resource as never);
  }
  return scimmy;
}

/** Entries of a page. */
export const MAX_RESULTS = 200;

interface Handled {
  id?: string;
  filter?: ScimFilter;
}

/** A resource of `scimmy` and the registration of its handlers, whose types differ for each resource. */
interface HandledResource {
  schema: { definition: { attribute(name: string): { config: { caseExact: boolean } } } };
  ingress(handler: (resource: Handled, instance: never, context: ScimContext) => Promise<object>): void;
  egress(handler: (resource: Handled, context: ScimContext) => Promise<object>): void;
  degress(handler: (resource: Handled, context: ScimContext) => Promise<void>): void;
}

/** The library would prepare all resources for the response, and return the first page for an index after the end. */
async function getPage({ store, page, ...caller }: ScimContext, filter: ScimFilter | undefined): Promise<object[]> {
  const { start, length, comparesMembers } = page!;
  const slices = new WorkSlices();
  const found: object[] = [];
  let total = 0;
  for await (const resource of store.list(caller, comparesMembers)) {
    await slices.pauseIfDue();
    if (filter && applyFilter(() => filter.match([resource])).length === 0) continue;
    total++;
    if (total >= start && found.length < length) found.push({ ...resource, members: undefined });
  }
  page!.total = total;
  return found;
}

async function handle<T>(context: ScimContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    context.failure ??= error;
    throw error;
  }
}

/** The error of a request: that of the store, or that of `scimmy` about the request. */
export function toRequestError(error: unknown, context: ScimContext): unknown {
  if (context.failure !== undefined) return context.failure;
  if (error instanceof DomainError || !(error instanceof Error)) return error;
  const { status, scimType } = error as Error & { status?: number; scimType?: string };
  if (status === 404) return new NotFoundError('The resource');
  if (status !== 400) return error;
  return new ScimError(isScimErrorType(scimType) ? scimType : 'invalidValue', error.message);
}
