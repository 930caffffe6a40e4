import { DomainError } from '../http/domain-error.js';
import type { Scope } from './scopes.js';

/** The caller's credentials do not cover the route (specification, sections 5 and 7). */
export class InsufficientScopeError extends DomainError {
  /** @param needed any one of them would do. The challenge can name only what is needed together, so it names the first. */
  constructor(needed: readonly Scope[]) {
    super('forbidden', 'insufficient_scope', `This needs the scope ${needed.join(' or ')}.`, {
      headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${needed[0]}"` },
    });
  }
}
