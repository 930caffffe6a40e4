import { includesRole, ROLES } from './roles.js';

describe('roles', () => {
  it('each include those before it, and no later one', () => {
    expect(ROLES).toEqual(['reader', 'editor', 'owner']);
    const included = ROLES.map((role) => ROLES.filter((required) => includesRole(role, required)));
    expect(included).toEqual([['reader'], ['reader', 'editor'], ['reader', 'editor', 'owner']]);
  });
});
