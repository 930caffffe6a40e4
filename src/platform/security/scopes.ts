/** The closed table of scopes (specification, section 5). */
export const SCOPES = [
  'api',
  'read:tours',
  'write:tours',
  'delete:tours',
  'read:projects',
  'write:projects',
  'delete:projects',
  'read:users',
  'write:users',
  'read:analytics',
  'read:workspaces',
  'write:workspaces',
] as const;

export type Scope = (typeof SCOPES)[number];

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
