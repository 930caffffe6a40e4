import { readFilter, readNames } from './scim-filter.js';

describe('readFilter', () => {
  it.each([
    'userName eq "ada@works.example"',
    'externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"',
    'displayName eq "Doctor or Editor or Operator or Sensor or Vendor (Linz) [1]"',
    '(displayName co "a" or displayName co "b") and not (id eq "1" or active eq true)',
    'emails[type eq "work" and value co "@works.example"]',
    'emails[type eq "work"].value co "@works.example" and displayName pr',
    'not (meta.created gt "2026-11-21T08:00:00Z") or members[value eq "1"]',
    'displayName eq "userName eq " and id eq "X"',
    'displayName eq "urn:ietf:params:scim:schemas:core:2.0:User:True"',
    'schemas eq "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"',
  ])('accepts %s', (filter) => {
    expect(readFilter(filter)).toBe(filter);
  });

  it('removes the schema of the core, and normalizes the case of literals', () => {
    const user = 'urn:ietf:params:scim:schemas:core:2.0:User:';
    const filter = `${user}userName eq "Ada@Works.example" and ${user.toUpperCase()}active eq True`;
    expect(readFilter(filter)).toBe('userName eq "ada@works.example" and active eq true');
  });

  it.each(['userName eq', 'USERNAME co', 'emails.value sw', 'emails eq', 'emails[type eq "work"].value eq'])(
    'normalizes the email address after %s',
    (start) => {
      expect(readFilter(`${start} " JOSE\u0301@Works.example "`)).toBe(`${start} "jos\u00e9@works.example"`);
    },
  );

  it.each([
    ['a long filter', `userName eq "${'a'.repeat(1_000)}"`],
    ['a line break', 'userName eq "a\n"'],
    ['a backslash', 'userName eq "a\\"'],
    ['a text that is not closed', 'userName eq "a" or userName eq "'],
    ['brackets in a text of a group', '(userName eq "a)")'],
    ['many operators', 'id eq 1 and id eq 2 or id eq 3 and id eq 4 or id eq 5 and id eq 6'],
    ['operators without spaces', '(id eq true)and(id eq 1or(id eq"2"and(id eq 3)OR(id eq 4)or(id eq 5'],
    ['an attribute without a comparison', 'userName'],
    ['a comparison without a value', 'userName eq'],
    ['an operator without an operand', 'userName eq "a" and'],
    ['a text without quotation marks', 'userName eq carol'],
    ['an unknown comparison', 'userName is "a"'],
    ['a presence with a value', 'userName pr "a"'],
    ['two comparisons without an operator', 'userName pr active pr'],
    ['a comparison without spaces', 'userName eq"a"'],
    ['a group that is not closed', '(userName pr'],
    ['an empty group', 'emails[]'],
    ['a replaced part', '# and userName pr'],
    ['nothing', ' '],
  ])('rejects %s', (_, filter) => {
    expect(() => readFilter(filter)).toThrow(/filter/i);
  });
});

describe('readNames', () => {
  it('accepts names of attributes', () => {
    expect(readNames('id, userName,urn:ietf:params:scim:schemas:core:2.0:User:name.formatted')).toBe(
      'id,userName,name.formatted',
    );
  });

  it.each(['', 'id,', 'id pr or id', 'emails[type eq "work"]', 'id,'.repeat(50) + 'id', 'a'.repeat(1_001)])(
    'rejects %s',
    (text) => {
      expect(() => readNames(text)).toThrow('at most 50 names');
    },
  );
});
