import { pickChanges } from './record-values.js';
import { isEqual } from '../../packages/sql/src/stored-json.js';

class Point {
  constructor(
    readonly lat: number,
    readonly lng?: number,
  ) {}
}

describe('isEqual', () => {
  it.each([
    ['objects with another order of fields', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ['an undefined and an absent field', { a: 1, b: undefined }, { a: 1 }],
    ['an instance of a class and a plain object', new Point(1), { lat: 1 }],
    ['objects in arrays', [{ a: 1, b: 2 }], [{ b: 2, a: 1 }]],
    ['two dates of one time', new Date(5), new Date(5)],
    ['undefined values', undefined, undefined],
  ])('is true for %s', (_, a, b) => expect(isEqual(a, b)).toBe(true));

  it.each([
    ['another order of elements', [1, 2], [2, 1]],
    ['an additional field', { a: 1 }, { a: 1, b: 2 }],
    ['null and an absent field', { a: null }, {}],
    ['an empty object and an empty array', {}, []],
    ['a number and its text', 1, '1'],
    ['undefined and null', undefined, null],
    ['dates of different times', new Date(5), new Date(6)],
  ])('is false for %s', (_, a, b) => expect(isEqual(a, b)).toBe(false));
});

describe('pickChanges', () => {
  it('returns the values that differ, without those that were not sent', () => {
    const record = { title: 'a', floors: [{ id: 'f0', label: 'x' }], text: 'b' };
    const values = { title: 'c', floors: [{ label: 'x', id: 'f0' }], text: undefined };
    expect(pickChanges<Record<string, unknown>>(record, values)).toEqual({ title: 'c' });
  });
});
