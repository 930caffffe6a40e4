/** All scopes (specification, section 5) with their descriptions in the OpenAPI document. */
export const SCOPE_DESCRIPTIONS = {
  api: 'Everything',
  'read:tours': 'Read tours',
  'write:tours': 'Read and write tours',
  'delete:tours': 'Read, write and delete tours',
  'read:projects': 'Read projects',
  'write:projects': 'Read and write projects',
  'delete:projects': 'Read, write and delete projects',
  'read:users': 'Read users',
  'write:users': 'Read and write users',
  'read:analytics': 'Read analytics',
  'read:workspaces': 'Read workspaces and their tables',
  'write:workspaces': 'Read and write workspaces and their tables',
} as const;

export type Scope = keyof typeof SCOPE_DESCRIPTIONS;

export const SCOPES = Object.keys(SCOPE_DESCRIPTIONS) as readonly Scope[];

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

/**
 * Does a granted scope include the required one? `api` includes all, `write:x` includes `read:x`, and `delete:x` both.
 * Tokens contain only the granted scope; it is expanded here.
 */
export function grants(granted: Scope, required: Scope): boolean {
  if (granted === 'api' || granted === required) return true;
  const [grantedVerb, grantedNoun] = granted.split(':');
  const [requiredVerb, requiredNoun] = required.split(':');
  return grantedNoun === requiredNoun && rank(grantedVerb) > rank(requiredVerb);
}

export function grantsAny(granted: readonly Scope[], required: Scope): boolean {
  return granted.some((scope) => grants(scope, required));
}

function rank(verb = ''): number {
  return ['read', 'write', 'delete'].indexOf(verb);
}
