import { DomainError } from '../http/domain-error.js';
import type { Scope } from './scopes.js';

/** The caller's credentials lack the scope of the route (specification, sections 5 and 7). */
export class InsufficientScopeError extends DomainError {
  /**
   * @param required alternatives. The challenge contains the first, because it can only list scopes needed together.
   */
  constructor(required: readonly Scope[]) {
    super('forbidden', 'insufficient_scope', `This needs the scope ${required.join(' or ')}. Sign in with it.`, {
      headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${required[0]}"` },
    });
  }
}
