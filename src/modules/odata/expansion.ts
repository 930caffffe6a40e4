import { MAX_EXPANSIONS } from '../../../packages/tables/src/catalog/request-limits.js';
import { describeEntitySet, type EntitySet } from './edm.js';
import { getProperty } from './filter-translation.js';
import { InvalidODataQueryError, ODataNotImplementedError } from './odata.errors.js';
import type { QueryOptions } from './query-options.js';

/** A navigation property whose rows are a part of each entity. */
export interface ExpandedProperty {
  name: string;
  /** The key of the reference column. */
  key: string;
  /** The set of the referenced rows. */
  set: EntitySet;
  /** The keys of the columns that its `$select` names; undefined for all. */
  selected: readonly string[] | undefined;
}

/** @throws {InvalidODataQueryError} */
export function resolveExpansions(set: EntitySet, expand: QueryOptions['expand'] = []): ExpandedProperty[] {
  const sent = expand === '*' ? set.navigation.map(({ name }) => ({ name, select: undefined })) : expand;
  const names = new Set(sent.map(({ name }) => name));
  if (names.size < sent.length) throw new InvalidODataQueryError('$expand', 'a property is named twice. Name it once.');
  if (sent.length > MAX_EXPANSIONS) {
    const message = `at most ${MAX_EXPANSIONS} navigation properties are allowed; these are ${sent.length}.`;
    throw new InvalidODataQueryError('$expand', message);
  }
  return sent.map(({ name, select }) => {
    const found = set.navigation.find((each) => each.name === name);
    if (!found) {
      const message = `"${name.slice(0, 80)}" is not a navigation property of ${set.name}. $metadata lists them.`;
      throw new InvalidODataQueryError('$expand', message);
    }
    const target = describeEntitySet(found.target, []);
    const selected = select?.map((each) => getProperty('$expand', target, each).key);
    return { name, key: found.key, set: target, selected };
  });
}

/**
 * Requires that a path ends with a navigation property.
 *
 * @throws {InvalidODataQueryError | ODataNotImplementedError}
 */
export function requireNavigation({ name, navigation, properties }: EntitySet, segment: string): void {
  if (navigation.some((each) => each.name === segment)) return;
  if (properties.some((each) => each.name === segment))
    throw new ODataNotImplementedError('path', `the path to the property "${segment}" is not supported. Use $select.`);
  const message = `"${segment.slice(0, 80)}" is not a navigation property of ${name}. $metadata lists them.`;
  throw new InvalidODataQueryError('path', message);
}
