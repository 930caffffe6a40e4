import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../../packages/errors/src/domain-error.js';
import type { SentMember } from '../workspace-tables/query/query-rows.service.js';
import type { EntityKey, EntitySet } from './edm.js';
import { EntitySetsService } from './entity-sets.service.js';
import type { Expression } from './expression.js';
import { InvalidODataQueryError } from './odata.errors.js';
import { type ExpandedProperty, resolveExpansions } from './expansion.js';
import { getProperty, translateFilter, translateOrder } from './filter-translation.js';
import { MAX_EXPANDED_PAGE_ROWS, type QueryOptions, readsOtherTables } from './query-options.js';

/** A page of entities. */
export interface EntityPage {
  set: EntitySet;
  /** The entities as a JSON array. */
  entities: string;
  /** Undefined for notes, which have none. */
  revision: number | undefined;
  count: number | undefined;
  /** The cursor of the next page; null on the last one. */
  cursor: string | null;
  /** The number of entities on the page. */
  length: number;
}

/** Reads entities by the services for rows. */
@Injectable()
export class RowsService {
  constructor(private readonly sets: EntitySetsService) {}

  /**
   * @param options `findMoment` returns the revision as of which the rows are read; undefined: now.
   * @param isKnown does the caller have the page of this revision? The page is then not read.
   * @returns undefined if the caller has the page
   * @throws {NotFoundError | InvalidODataQueryError | ODataNotImplementedError | InvalidQueryError}
   */
  async readPage(
    workspaceId: string,
    name: string,
    options: QueryOptions & { cursor?: string; pageRows: number; findMoment?: (set: EntitySet) => number | undefined },
    isKnown?: (revision: number, set: EntitySet) => boolean,
  ): Promise<EntityPage | undefined> {
    const found = await this.sets.get(workspaceId, name, needsNavigation(options));
    const { set } = found;
    const expanded = resolveExpansions(set, options.expand);
    const selected = options.select?.map((each) => findSelected(set, each)).filter((key) => key !== undefined);
    const largest = expanded.length > 0 ? MAX_EXPANDED_PAGE_ROWS : options.pageRows;
    const limit = Math.min(options.pageRows, largest, options.top ?? largest);
    const moment = options.findMoment?.(set);
    const query = {
      asOf: moment === undefined ? undefined : String(moment),
      filter: options.filter && translateFilter(options.filter, set, found.findSet),
      sort: options.orderBy && translateOrder(options.orderBy, set),
      fields: selected && [...selected, ...expanded.map(({ key }) => key), set.key.key].join(','),
      members: listMembers(set, selected, expanded),
      cursor: options.cursor,
      skip: options.skip,
      via: 'odata' as const,
      count: options.count ? ('exact' as const) : undefined,
      // A page of no rows does not exist: one row is read, and omitted.
      limit: Math.max(limit, 1),
    };
    const known = isKnown && (({ revision }: { revision: number }) => isKnown(revision, set));
    const { version, page, length } = await found.read(query, known);
    if (!page) return undefined;
    const common = { set, revision: version?.revision, count: page.total };
    if (limit === 0) return { ...common, entities: '[]', cursor: null, length: 0 };
    return { ...common, entities: page.items.text, cursor: page.nextCursor, length: length! };
  }

  /** @throws {NotFoundError | InvalidODataQueryError | ODataNotImplementedError} */
  async readOne(workspaceId: string, name: string, key: EntityKey, options: QueryOptions): Promise<EntityPage> {
    const { set } = await this.sets.get(workspaceId, name, false);
    const { property = set.key.name, value } = key;
    if (property !== set.key.name) {
      const message = `"${property.slice(0, 80)}" is not the key of ${name}. Write ${name}('key').`;
      throw new InvalidODataQueryError('path', message);
    }
    const page = await this.readPage(workspaceId, name, {
      ...options,
      pageRows: 1,
      filter: equalsKey(property, value),
    });
    if (!page || page.entities === '[]') throw new NotFoundError('The entity', undefined, 'Check the key.');
    return { ...page, entities: page.entities.slice(1, -1) };
  }

  /** The number of entities for which `$filter` is true. */
  async count(workspaceId: string, name: string, { filter }: QueryOptions): Promise<number> {
    const page = await this.readPage(workspaceId, name, { filter, count: true, top: 0, pageRows: 1 });
    return page!.count!;
  }
}

function equalsKey(property: string, key: string): Expression {
  const literal = { kind: 'literal', type: 'text', value: key } as const;
  return { kind: 'compare', operator: 'eq', left: { kind: 'path', names: [property] }, right: literal };
}

function needsNavigation(options: QueryOptions): boolean {
  return options.select !== undefined || readsOtherTables(options);
}

/** The key of a selected column; undefined for a navigation property, which is selected by `$expand`. */
function findSelected(set: EntitySet, name: string): string | undefined {
  return set.navigation.some((each) => each.name === name) ? undefined : getProperty('$select', set, name).key;
}

/**
 * The entities as objects of rows. `Edm.Date` has no time: of an instant the feed contains the day in UTC, which is
 * what its filters compare, too.
 */
function listMembers(
  { properties }: EntitySet,
  selected: readonly string[] | undefined,
  expanded: readonly ExpandedProperty[] = [],
): SentMember[] {
  const chosen = selected ? properties.filter(({ key }) => selected.includes(key)) : properties;
  const own = chosen.map(({ name, key, type }) => ({ name, key, isDay: type === 'Edm.Date' }));
  const rows = expanded.map(({ name, key, set, selected: ofRow }) => ({ name, key, members: listMembers(set, ofRow) }));
  return [...own, ...rows];
}
