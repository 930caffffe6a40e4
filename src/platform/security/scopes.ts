/** The closed table of scopes (specification, section 5), each as the document describes it. */
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
 * Does a scope grant another? `api` grants everything, `write:x` includes `read:x`, `delete:x` includes both.
 * Scopes are expanded here, when they are checked, and never when a token is minted.
 */
export function grants(held: Scope, needed: Scope): boolean {
  if (held === 'api' || held === needed) return true;
  const [heldVerb, heldNoun] = held.split(':');
  const [neededVerb, neededNoun] = needed.split(':');
  return heldNoun === neededNoun && rank(heldVerb) > rank(neededVerb);
}

export function anyGrants(held: readonly Scope[], needed: Scope): boolean {
  return held.some((scope) => grants(scope, needed));
}

function rank(verb = ''): number {
  return ['read', 'write', 'delete'].indexOf(verb);
}
