import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { createSection, defineErrors } from '../../../packages/errors/src/error-definition.js';

export const ODATA_ERRORS = defineErrors(createSection('OData feed', 'connecting-excel-and-power-bi'), {
  invalid_odata_query: {
    kind: 'malformed',
    message: '$filter: "colour" is not a property of assets_Assets.',
    meaning:
      'A query option or the path of an OData request is not valid, for example a missing property, a literal of another type than its property, or a missing quote.',
    remedy: 'Correct the option that the error names as its `target`; `$metadata` lists the properties.',
  },
  odata_not_implemented: {
    kind: 'not_implemented',
    message: '$filter: the function year() is not supported. Supported: contains, startswith, endswith.',
    meaning:
      'The request is valid OData, but the feed does not support a part of it, for example arithmetic, a function of dates, or $expand in $expand.',
    remedy: 'Read more rows and compute the rest in the program, or use the operations for tables.',
  },
  odata_definition_changed: {
    kind: 'gone',
    message: 'Columns were added since the delta link was created: "colour". Read all entities again.',
    meaning:
      'A column was added after the delta link was created, so entities that are not listed may have lost values.',
    remedy: 'Read all entities again, and continue with their new delta link.',
  },
  odata_policy_changed: {
    kind: 'gone',
    message: 'The access policies have changed since the delta link was created. Read all entities again.',
    meaning:
      'After the delta link was created, an access policy of the caller was changed, assigned or removed; or the link is that of another caller.',
    remedy: 'Read all entities again, and continue with their new delta link.',
  },
});

/** An option of an OData query is not valid. */
export class InvalidODataQueryError extends DomainError {
  /** @param option the query option, or another part of the request */
  constructor(option: string, message: string) {
    super(ODATA_ERRORS.invalid_odata_query, `${option}: ${message}`, { field: option });
  }
}

/** The feed does not support a part of the request. */
export class ODataNotImplementedError extends DomainError {
  /** @param option the query option, or another part of the request */
  constructor(option: string, message: string) {
    super(ODATA_ERRORS.odata_not_implemented, `${option}: ${message}`, { field: option });
  }
}

/** The table has columns that the reader of a delta link does not know. */
export class ChangedDefinitionError extends DomainError {
  constructor(columns: readonly string[]) {
    const names = columns
      .slice(0, 20)
      .map((key) => `"${key}"`)
      .join(', ');
    const message = `Columns were added since the delta link was created: ${names}. Read all entities again.`;
    super(ODATA_ERRORS.odata_definition_changed, message);
  }
}
