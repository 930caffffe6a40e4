import { anyGrants, grants, isScope, SCOPES, type Scope } from './scopes.js';

/** The table of section 5, written out: what each scope grants. */
const GRANTED: Record<Scope, Scope[]> = {
  api: [...SCOPES],
  'read:tours': ['read:tours'],
  'write:tours': ['read:tours', 'write:tours'],
  'delete:tours': ['read:tours', 'write:tours', 'delete:tours'],
  'read:projects': ['read:projects'],
  'write:projects': ['read:projects', 'write:projects'],
  'delete:projects': ['read:projects', 'write:projects', 'delete:projects'],
  'read:users': ['read:users'],
  'write:users': ['read:users', 'write:users'],
  'read:analytics': ['read:analytics'],
  'read:workspaces': ['read:workspaces'],
  'write:workspaces': ['read:workspaces', 'write:workspaces'],
};

describe('scopes', () => {
  it.each(SCOPES.map((scope) => [scope]))('%s grants exactly what the specification lists', (held) => {
    expect(SCOPES.filter((needed) => grants(held, needed))).toEqual(SCOPES.filter((s) => GRANTED[held].includes(s)));
  });

  it('is enough that one of several scopes grants', () => {
    expect(anyGrants(['read:users', 'delete:tours'], 'write:tours')).toBe(true);
    expect(anyGrants([], 'read:tours')).toBe(false);
  });

  it('knows no other scope', () => {
    expect(isScope('delete:users')).toBe(false);
    expect(isScope('')).toBe(false);
  });
});
