import { containsJsonText, JsonText, stringifyJson } from './json-text.js';

describe('a JSON text', () => {
  const rows = new JsonText('[{"key":"a","weight":1.50}]');

  it('is inserted into the object as it is', () => {
    expect(stringifyJson({ status: 200, data: { table: { name: '"items":[]' }, items: rows, more: false } })).toBe(
      '{"status":200,"data":{"table":{"name":"\\"items\\":[]"},"items":[{"key":"a","weight":1.50}],"more":false}}',
    );
  });

  it('is the same as its value for JSON.stringify', () => {
    const page = { items: rows, total: undefined, none: null, at: new Date(0), 'a "key"': [undefined] };
    expect(JSON.parse(stringifyJson(page))).toEqual(JSON.parse(JSON.stringify(page)));
  });

  it.each([
    [{ items: rows }, true],
    [{ items: [rows] }, false],
    [null, false],
    ['text', false],
  ])('is found only as a field of the value: %j', (value, expected) => {
    expect(containsJsonText(value)).toBe(expected);
  });
});
