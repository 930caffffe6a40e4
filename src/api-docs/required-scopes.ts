import type { OpenAPIObject } from '@nestjs/swagger';
import { OAUTH2_SCHEME, ROLE_EXTENSION } from '../platform/security/require-scope.decorator.js';
import { operationsOf } from './operations.js';

/**
 * States the scopes of each operation in its description, for Bearer tokens and API keys, too: only the requirements of
 * an OAuth 2 scheme may contain scopes that tools know. States the role, too, unless every member has it.
 */
export function describeScopes(document: OpenAPIObject): void {
  for (const operation of operationsOf(document)) {
    const { security = [], summary = '', description = '' } = operation;
    const scopes = [...new Set(security.flatMap((requirement) => Object.values(requirement).flat()))];
    const names = scopes.map((scope) => `\`${scope}\``).join(' or ');
    const needed = names ? `Scope: ${names}.` : security.length === 0 ? 'Needs no credentials.' : '';
    const role = operation[ROLE_EXTENSION];
    const neededRole = typeof role === 'string' && role !== 'reader' ? `Role: \`${role}\`. ` : '';
    operation.description = [description, neededRole + needed].filter(Boolean).join('\n\n') || `${summary}.`;
    operation.security = security.map((requirement) =>
      Object.fromEntries(
        Object.entries(requirement).map(([scheme, required]) => [scheme, scheme === OAUTH2_SCHEME ? required : []]),
      ),
    );
    // The alternatives of an operation with several scopes differ only in the scopes.
    operation.security = operation.security.filter(
      (each, index, all) => all.findIndex((other) => JSON.stringify(other) === JSON.stringify(each)) === index,
    );
  }
}
