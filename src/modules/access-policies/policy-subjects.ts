import type { FieldError } from '../../../packages/errors/src/domain-error.js';
import type { PolicyRules } from './policy-rules.js';

/**
 * What the rules of policies name. The module that stores it registers an implementation with AccessPoliciesService.
 * Names can change, so rules are stored by IDs.
 */
export abstract class PolicySubjects {
  /** @returns an error per invalid rule, whose field is that of the policy, such as `tables[0].filter`. */
  abstract check(workspaceId: string, rules: PolicyRules): Promise<FieldError[]>;

  /**
   * Finds rules of a stored policy that permit nothing now, although they are valid.
   *
   * @returns a warning per rule, whose field is that of the policy, such as `tables[0].table`.
   */
  abstract findWarnings(workspaceId: string, rules: PolicyRules): Promise<FieldError[]>;

  /** The rules with IDs in place of names that exist. */
  abstract toStored(workspaceId: string, rules: PolicyRules): Promise<PolicyRules>;

  /** The rules of several policies with the present names. */
  abstract toShown(workspaceId: string, policies: readonly PolicyRules[]): Promise<PolicyRules[]>;
}

/** Counts the assignments of a policy. Modules whose records have a policy register an implementation. */
export abstract class PolicyHolder {
  abstract countAssignments(workspaceId: string, policyId: string): Promise<number>;
}
