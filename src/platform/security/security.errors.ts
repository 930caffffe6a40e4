import { DomainError } from '../http/domain-error.js';
import type { Scope } from './scopes.js';

/** The caller's credentials do not cover the route (specification, sections 5 and 7). */
export class InsufficientScopeError extends DomainError {
  constructor(needed: Scope) {
    super('forbidden', 'insufficient_scope', `This needs the scope ${needed}.`, {
      headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${needed}"` },
    });
  }
}
