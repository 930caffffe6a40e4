import { DomainError } from '../../../../packages/errors/src/domain-error.js';
import { createSection, defineErrors } from '../../../../packages/errors/src/error-definition.js';
import { JSON_ERRORS } from '../../../../packages/json/src/json.errors.js';

const CHECK_MAPPING = 'Correct the attribute mapping of the identity provider as the message states.';

export const SCIM_ERRORS = defineErrors(createSection('Provisioning', 'provisioning'), {
  scim_invalid_filter: {
    kind: 'malformed',
    message: 'A filter has at most 1000 characters.',
    meaning:
      'The `filter`, or a list of attributes of a SCIM request, has the wrong form or is too long (`scimType`: `invalidFilter`).',
    remedy: 'Correct the filter as RFC 7644, section 3.4.2.2, describes it, or send a shorter one.',
  },
  scim_invalid_path: {
    kind: 'malformed',
    message: 'The path "[" is not valid.',
    meaning: 'The `path` of a change has the wrong form (`scimType`: `invalidPath`).',
    remedy: CHECK_MAPPING,
  },
  scim_invalid_syntax: {
    kind: 'malformed',
    message: 'Operations must be a list.',
    meaning: 'The body of a SCIM request has the wrong structure (`scimType`: `invalidSyntax`).',
    remedy: 'Send the structure of RFC 7644, section 3.5.',
  },
  scim_invalid_value: {
    kind: 'malformed',
    message: 'members must be the IDs of users of the workspace.',
    meaning: 'A value of a SCIM request is missing or not accepted (`scimType`: `invalidValue`).',
    remedy: CHECK_MAPPING,
  },
  scim_mutability: {
    kind: 'malformed',
    message: 'The user is or was in another workspace, too, so the email address cannot be changed.',
    meaning:
      'The email address cannot be changed for the reason in the message, or a key would end its own user or take its role `owner` (`scimType`: `mutability`).',
    remedy: 'Delete the user and create another one, or use the key of another owner.',
  },
  scim_no_target: {
    kind: 'malformed',
    message: 'An operation that removes must have a path.',
    meaning: 'An operation of a change names nothing (`scimType`: `noTarget`).',
    remedy: 'Send the structure of RFC 7644, section 3.5.',
  },
  scim_uniqueness: {
    kind: 'conflict',
    message: 'The workspace has a user with this userName already.',
    meaning:
      'A SCIM request creates a user or a group that exists, or uses its name or `externalId` (`scimType`: `uniqueness`).',
    remedy: 'Let the identity provider match users by `userName` and groups by `displayName`.',
  },
});

/** The codes by the kinds of errors of RFC 7644, section 3.12. */
const CODES = {
  invalidFilter: 'scim_invalid_filter',
  invalidPath: 'scim_invalid_path',
  invalidSyntax: 'scim_invalid_syntax',
  invalidValue: 'scim_invalid_value',
  mutability: 'scim_mutability',
  noTarget: 'scim_no_target',
  uniqueness: 'scim_uniqueness',
} as const;

export type ScimErrorType = keyof typeof CODES;

/** A SCIM request that cannot be executed. */
export class ScimError extends DomainError {
  constructor(type: ScimErrorType, message: string) {
    super(SCIM_ERRORS[CODES[type]], message);
  }
}

export function isScimErrorType(text: string | undefined): text is ScimErrorType {
  return text !== undefined && Object.hasOwn(CODES, text);
}

/** The `scimType` of an error code. */
export const SCIM_TYPES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(CODES).map(([type, code]) => [code, type] as const),
  [JSON_ERRORS.malformed_json.code, 'invalidSyntax'],
]);
