import { Injectable } from '@nestjs/common';
import { ChangeFeedService } from '../workspace-tables/query/change-feed.service.js';
import type { EntitySet, Property } from './edm.js';
import { EntitySetsService } from './entity-sets.service.js';
import { getProperty } from './filter-translation.js';
import { digestPolicies, formatDeltaToken, parseDeltaToken } from './links.js';
import { ChangedDefinitionError, InvalidODataQueryError, ODATA_ERRORS } from './odata.errors.js';
import type { QueryOptions } from './query-options.js';
import { DomainError } from '../../../packages/errors/src/domain-error.js';

/** A page of what has changed since a revision. */
export interface ChangesPage {
  set: EntitySet;
  /** Entities in their current state, and removed ones. */
  changes: object[];
  /** The cursor of the next page; null on the last one. */
  cursor: string | null;
  /** On the last page: the token with which the next changes are read. */
  deltaToken: string | undefined;
}

/** Reads the changes of an entity set by the change feed of its table. */
@Injectable()
export class ChangesService {
  constructor(
    private readonly sets: EntitySetsService,
    private readonly feed: ChangeFeedService,
  ) {}

  /**
   * @param root the URL of the feed
   * @throws {NotFoundError | InvalidODataQueryError | PolicyDeniedError}
   * @throws {RevisionGoneError | ChangedDefinitionError | DomainError} if the caller must read all rows again
   */
  async list(
    workspaceId: string,
    name: string,
    { deltaToken = '', skipToken, select, ...options }: QueryOptions,
    { root, limit }: { root: string; limit: number },
  ): Promise<ChangesPage> {
    const other = (['filter', 'orderBy', 'top', 'skip', 'expand'] as const).find((each) => options[each] !== undefined);
    if (other || options.count)
      throw new InvalidODataQueryError('$deltatoken', 'a delta link has no further options but $select.');
    const token = parseDeltaToken(deltaToken);
    if (!token) throw new InvalidODataQueryError('$deltatoken', 'send the link as the feed has returned it.');
    const { set, ref } = await this.sets.get(workspaceId, name, false);
    if (!ref) throw new InvalidODataQueryError('$deltatoken', `"${name}" has no delta links. Read all entities again.`);
    const { policyVersion } = set.table;
    // The copy of the caller contains what other policies have permitted.
    if (token.policies !== digestPolicies(policyVersion)) throw new DomainError(ODATA_ERRORS.odata_policy_changed);
    const since = token.revision;
    const selected = select && [...select.map((each) => getProperty('$select', set, each).key), set.key.key];
    const page = await this.feed.list(ref, { since, limit, cursor: skipToken });
    // A copy would still contain former values of a column that was dropped and added again.
    if (since > 0 && page.addedColumns.length > 0) throw new ChangedDefinitionError(page.addedColumns);
    const rename = renameColumns(set.properties, selected);
    const changes = page.items.map(({ key, item }) => (item ? rename(item) : describeRemoved(root, set, key)));
    const next = page.revision === null ? undefined : formatDeltaToken(page.revision, policyVersion);
    return { set, changes, cursor: page.nextCursor, deltaToken: next };
  }
}

/** A deleted entity of OData 4.0 (JSON format 4.0, section 14.2). Only its context distinguishes it from an entity. */
function describeRemoved(root: string, { name }: EntitySet, key: string): object {
  const set = encodeURI(name);
  return {
    '@odata.context': `${root}/$metadata#${set}/$deletedEntity`,
    id: `${set}(${formatKey(key)})`,
    reason: 'deleted',
  };
}

/** The key as it is in a URL. */
export function formatKey(key: string): string {
  return encodeURIComponent(`'${key.replaceAll("'", "''")}'`).replaceAll("'", '%27');
}

/** A row by the keys of its columns, or an entity by the names of its properties. */
type Entity = Record<string, unknown>;

/**
 * Turns rows into entities.
 *
 * @param selected the keys of the columns that the entities have; undefined for all
 */
function renameColumns(
  properties: readonly Property[],
  selected: readonly string[] | undefined,
): (row: Entity) => Entity {
  const chosen = selected ? properties.filter(({ key }) => selected.includes(key)) : properties;
  return (row) =>
    Object.fromEntries(
      chosen.flatMap((property) => (Object.hasOwn(row, property.key) ? [[property.name, toValue(property, row)]] : [])),
    );
}

/** `Edm.Date` has no time: of an instant the feed contains the day in UTC, which is also what its filters compare. */
function toValue({ key, type }: Property, row: Entity): unknown {
  const value = row[key];
  return type === 'Edm.Date' && typeof value === 'string' ? value.slice(0, 'YYYY-MM-DD'.length) : value;
}
