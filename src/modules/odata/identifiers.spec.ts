import fc from 'fast-check';
import { MAX_IDENTIFIER_LENGTH, parseSetName, toNavigationName, toPropertyName, toSetName } from './identifiers.js';

const ID = '01234567-89ab-4cde-8f01-23456789abcd';
const IDENTIFIER = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}$/u;

const tableName = fc
  .array(fc.constantFrom('a', 'B', 'é', '1', '2', '6', ' ', '_', '__26_', '&', '😀', '/', "'", '.', 'x'), {
    minLength: 1,
    maxLength: 12,
  })
  .map((parts) => parts.join('').trim())
  .filter((name) => name !== '');

describe('toSetName', () => {
  it.each([
    ['Functional Locations', 'assets_Functional_Locations'],
    ['R&D', 'assets_R__26_D'],
    ['A_B', 'assets_A__5F_B'],
    ['Anlagen Süd', 'assets_Anlagen_Süd'],
    ['a  b', 'assets_a__20___20_b'],
  ])('names the set of the table %j', (name, set) => {
    expect(toSetName({ entity: 'asset', name, id: ID })).toBe(set);
    expect(parseSetName(set)).toEqual({ entity: 'asset', table: name });
  });

  it('returns an identifier that leads back to the name, for any name', () => {
    fc.assert(
      fc.property(tableName, (name) => {
        const set = toSetName({ entity: 'list', name, id: ID });
        expect(set).toMatch(IDENTIFIER);
        expect(parseSetName(set)).toEqual({ entity: 'list', table: name });
      }),
      { numRuns: 2_000 },
    );
  });

  it('contains the ID of a table whose name is too long', () => {
    const set = toSetName({ entity: 'location', name: 'x'.repeat(255), id: ID });
    expect(set.length).toBeLessThanOrEqual(MAX_IDENTIFIER_LENGTH);
    expect(parseSetName(set)).toEqual({ entity: 'location', table: ID });
  });

  it.each(['', 'assets', 'assets_', 'constructor_x', 'other_A', 'assets_' + 'x'.repeat(200)])(
    'no table has the set %j',
    (set) => expect(parseSetName(set)).toBeUndefined(),
  );
});

describe('toPropertyName', () => {
  it('returns an identifier that leads back to the key, for any key', () => {
    const key = fc.stringMatching(/^[a-z0-9_]{1,63}$/);
    const reserved = fc.constantFrom('null', 'true', 'not', 'in', 'eq', '_eq', 'and');
    fc.assert(
      fc.property(fc.oneof(key, reserved), (each) => {
        const property = toPropertyName(each);
        expect(property).toMatch(IDENTIFIER);
        expect(property.replace(/^_/, '')).toBe(each);
        expect(toNavigationName(each)).toBe(`${property}Row`);
      }),
    );
  });

  it.each([
    ['weight', 'weight'],
    ['null', '_null'],
    ['1st', '_1st'],
    ['_a', '__a'],
  ])('names the property of the column %s', (key, property) => expect(toPropertyName(key)).toBe(property));
});
