import { createSection, defineErrors } from '../../../packages/errors/src/error-definition.js';
import { DomainError, type FieldError, toErrorDetails } from '../../../packages/errors/src/domain-error.js';

/** Policies of a workspace. */
export const MAX_POLICIES = 200;
export const MAX_POLICY_TABLES = 100;
/** Columns of a list in one rule. */
export const MAX_POLICY_COLUMNS = 200;

export const POLICY_ERRORS = defineErrors(createSection('Access policies', 'access'), {
  invalid_policy: {
    kind: 'unprocessable',
    message: 'The rules of the access policy are invalid; nothing was stored. Correct those in details.errors.',
    meaning:
      'The rules of an access policy are invalid: two name the same table, or one does not fit the columns of its table. Nothing was stored.',
    remedy: 'Correct the rules in `details.errors`.',
  },
  policy_name_taken: {
    kind: 'conflict',
    message: 'Another access policy of the workspace has the name "Plant AT10". Use another name.',
    meaning: 'Another access policy of the workspace has the name, in any letter case.',
    remedy: 'Use another name, or change the other policy.',
  },
  policy_in_use: {
    kind: 'conflict',
    message:
      'The access policy is assigned to 2 memberships, clients, API keys or subscriptions. Remove it from them first.',
    meaning:
      'Memberships, clients, subscriptions or API keys that are not revoked have the access policy. Without it they would be unrestricted.',
    remedy: 'Assign another policy to the members, clients and subscriptions, and revoke the API keys.',
  },
  policy_not_assignable: {
    kind: 'unprocessable',
    message: 'An owner cannot have an access policy, because owners manage policies. Give the role editor or reader.',
    meaning:
      'The access policy cannot be assigned: the member is an owner, or the policy does not exist in the workspace.',
    remedy: 'Give the member the role `editor` or `reader`, or name a policy of the workspace.',
  },
  too_many_policies: {
    kind: 'conflict',
    message: `A workspace has at most ${MAX_POLICIES} access policies. Delete one that is not assigned.`,
    meaning: 'The workspace has the maximum number of access policies, also counting those that are not assigned.',
    remedy: 'Delete access policies that are not assigned.',
  },
});

/** Rules that are invalid, with the field of each. */
export class InvalidPolicyError extends DomainError {
  constructor(errors: readonly FieldError[]) {
    super(POLICY_ERRORS.invalid_policy, undefined, { details: toErrorDetails(errors) });
  }
}

export class PolicyNameTakenError extends DomainError {
  constructor(name: string) {
    const message = `Another access policy of the workspace has the name "${name}". Use another name.`;
    super(POLICY_ERRORS.policy_name_taken, message, { field: 'name' });
  }
}

export class PolicyInUseError extends DomainError {
  constructor(assignments: number) {
    const what =
      assignments === 1
        ? '1 membership, client, API key or subscription'
        : `${assignments} memberships, clients, API keys or subscriptions`;
    super(POLICY_ERRORS.policy_in_use, `The access policy is assigned to ${what}. Remove it from them first.`);
  }
}

/** The policy cannot be assigned to the member or the API key. */
export class PolicyNotAssignableError extends DomainError {
  constructor(message: string = POLICY_ERRORS.policy_not_assignable.message) {
    super(POLICY_ERRORS.policy_not_assignable, message, { field: 'policyId' });
  }
}
