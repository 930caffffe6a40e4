import { grantsAny, grants, isScope, SCOPES, type Scope } from './scopes.js';

/** The table of section 5: the scopes that each scope includes. */
const INCLUDED: Record<Scope, Scope[]> = {
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
  it.each(SCOPES.map((scope) => [scope]))('%s includes exactly the scopes of the specification', (granted) => {
    expect(SCOPES.filter((required) => grants(granted, required))).toEqual(
      SCOPES.filter((s) => INCLUDED[granted].includes(s)),
    );
  });

  it('are sufficient if one of several includes the required one', () => {
    expect(grantsAny(['read:users', 'delete:tours'], 'write:tours')).toBe(true);
    expect(grantsAny([], 'read:tours')).toBe(false);
  });

  it('are only those of the specification', () => {
    expect(isScope('delete:users')).toBe(false);
    expect(isScope('')).toBe(false);
  });
});
