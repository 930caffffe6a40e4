import { DomainError, toErrorDetails, UnavailableError } from '../../../errors/src/domain-error.js';
import { createSection, defineErrors } from '../../../errors/src/error-definition.js';
import { MAX_AGGREGATE_S, MAX_GROUPS } from './request-limits.js';

const TOO_MANY_GROUPS = `The aggregate has more than ${MAX_GROUPS.toLocaleString('en-US')} groups. Group by fewer columns, or add a filter.`;

export const QUERY_ERRORS = defineErrors(createSection('Queries of rows', 'tables'), {
  invalid_query: {
    kind: 'malformed',
    message: 'The table has no column "colour". Known columns: code, name.',
    details: {
      total: 1,
      errors: [
        {
          field: 'filter[colour]',
          code: 'unknown_column',
          message: 'The table has no column "colour". Known columns: code, name.',
        },
      ],
    },
    meaning: 'A filter, sort order, field or subtree of the query is not valid; `details.errors` names it.',
    remedy: 'Correct the parameter; see the code of the entry.',
  },
  unknown_operator: {
    meaning:
      'The filter operator does not exist or does not suit the column, for example `contains` at a number column.',
    remedy: 'Use an operator from the message.',
  },
  invalid_value: {
    meaning:
      'The value of a parameter does not suit its column, for example text for a number column, or `depth` without `under`.',
    remedy: 'Send a value of the type in the message.',
  },
  part_too_long: {
    meaning:
      'The text of `contains`, `endsWith` or an operator that ignores letter case has more characters than the limit in the message.',
    remedy: 'Send a shorter part of the text, or use `startsWith` or `eq`.',
  },
  too_many_filters: {
    meaning: 'The number of conditions exceeds the limit in the message.',
    remedy: 'Send several queries, or export the table and filter it yourself.',
  },
  filter_too_deep: {
    meaning: 'The number of `and`, `or` and `not` that contain each other exceeds the limit in the message.',
    remedy: 'Combine fewer levels; `in` replaces many `or`.',
  },
  path_too_long: {
    meaning:
      'A path follows more references than the limit in the message, for example `parent.parent.parent.parent.name`.',
    remedy: 'Use a shorter path, or `under` for a subtree.',
  },
  too_many_targets: {
    meaning:
      'The references of the query lead to too many tables: one without the option `target` may refer to rows of all Locations tables.',
    remedy: 'Set the option `target` of the reference columns.',
  },
  too_many_groups: {
    kind: 'malformed',
    message: TOO_MANY_GROUPS,
    meaning: 'The columns in `group` have too many different values together. `having` and `limit` apply afterwards.',
    remedy: 'Group by fewer columns, by larger units of dates, or add a filter.',
  },
  query_too_expensive: {
    kind: 'unavailable',
    message: `The aggregate took longer than ${MAX_AGGREGATE_S} seconds. Add a filter on a column with an index.`,
    meaning:
      'The query reads or groups too many rows within the limit of time: the table is large, and no index serves the filter, or it selects many rows.',
    remedy: 'Add a filter on a column with an index, create the index of the message, or group by fewer columns.',
  },
  no_hierarchy: {
    meaning: 'The table has no column of the type `hierarchyParent`, which `under`, `path` and `children` need.',
    remedy: 'Add such a column, or use a filter.',
  },
  not_allowed_with_export: {
    meaning:
      'An export has no pages, but `limit`, `cursor`, `count` or `expand` was sent with `Accept: text/csv` or `application/x-ndjson`.',
    remedy: 'Omit the parameter, or request JSON.',
  },
  unknown_revision: {
    kind: 'malformed',
    message: '`since` is 9, but the current revision is 3. If the table was recreated, export it again.',
    meaning:
      'The table has not reached the revision in `since`: it belongs to another table or deployment, or the database was restored from a backup.',
    remedy: 'Export the table again and continue from its revision.',
  },
  revision_gone: {
    kind: 'gone',
    message: '`since` is 3, but changes are available only since revision 12. Export the table again.',
    meaning:
      'Changes since this revision are no longer stored: the last request was longer ago than deleted rows are stored, or the table was recreated.',
    remedy: 'Export the table again and continue from its revision.',
  },
  history_expired: {
    kind: 'gone',
    message:
      '"asOf" is before the history of the table "Assets", which starts at revision 12 (2026-03-01T08:00:00.000Z). Send this revision or a later moment.',
    meaning:
      'The rows of this moment are no longer stored: it is more days ago than the table stores former rows (`historyDays`), or the table was recreated.',
    remedy: 'Send the moment in the message or a later one.',
  },
  too_many_exports: {
    kind: 'unavailable',
    message: 'The limit of 4 concurrent exports is reached. Retry after 5 seconds.',
    meaning:
      'The instance streams the maximum number of exports, yours or those of others; a quarter remains for other callers.',
    remedy: 'Send the request again after `Retry-After` seconds, or read pages.',
  },
});

/** A parameter of a query is invalid. */
export class InvalidQueryError extends DomainError {
  constructor(
    field: string,
    code: Exclude<keyof typeof QUERY_ERRORS, 'invalid_query'> | 'unknown_column' | 'ambiguous_column',
    message: string,
  ) {
    super(QUERY_ERRORS.invalid_query, message, { details: toErrorDetails([{ field, code, message }]) });
  }
}

/** Tombstones since this revision were removed. */
export class RevisionGoneError extends DomainError {
  constructor(since: number, oldest: number) {
    const message = `\`since\` is ${since}, but changes are available only since revision ${oldest}. Export the table again.`;
    super(QUERY_ERRORS.revision_gone, message);
  }
}

/** The table has not reached this revision. */
export class UnknownRevisionError extends DomainError {
  /** @param field of the request. */
  constructor(sent: number, revision: number, field = 'since') {
    const message = `\`${field}\` is ${sent}, but the current revision is ${revision}. If the table was recreated, export it again.`;
    super(QUERY_ERRORS.unknown_revision, message, { field });
  }
}

/** The former rows of a moment are no longer stored. */
export class HistoryExpiredError extends DomainError {
  constructor(field: string, { name }: { name: string }, { since, sinceAt }: { since: number; sinceAt: Date | null }) {
    const time = sinceAt ? ` (${sinceAt.toISOString()})` : '';
    const message = `"${field}" is before the history of the table "${name}", which starts at revision ${since}${time}. Send this revision or a later moment.`;
    super(QUERY_ERRORS.history_expired, message, { field });
  }
}

export class TooManyExportsError extends UnavailableError {
  constructor(limit: number) {
    const message = `The limit of ${limit} concurrent exports is reached. Retry after 5 seconds.`;
    super(QUERY_ERRORS.too_many_exports, message, { retryAfterS: 5 });
  }
}

export class TooManyGroupsError extends DomainError {
  constructor() {
    super(QUERY_ERRORS.too_many_groups);
  }
}

export class QueryTooExpensiveError extends UnavailableError {
  /** @param index the columns of an index that would serve the filter */
  constructor(timeoutS: number, index: readonly string[] | undefined) {
    const columns = index?.map((key) => `"${key}"`).join(', ');
    const remedy = columns ? `Create an index over ${columns}` : 'Add a filter on a column with an index';
    const message = `The aggregate took longer than ${timeoutS} seconds. ${remedy}, or group by fewer columns.`;
    super(QUERY_ERRORS.query_too_expensive, message);
  }
}
