import { formatDocument } from './formatting.js';

describe('formatDocument()', () => {
  it('returns the same document', () => {
    const document = { text: 'a "quoted" text', list: [1, null, { empty: {} }], long: 'x'.repeat(400) };
    expect(JSON.parse(formatDocument({ ...document, omitted: undefined }))).toStrictEqual(document);
  });

  it('writes an object on one line if it fits', () => {
    expect(formatDocument({ $ref: '#/components/responses/NotFound' })).toBe(
      '{"$ref":"#/components/responses/NotFound"}',
    );
  });

  it('writes each property on a line if the object is longer', () => {
    expect(formatDocument({ a: ['x'.repeat(1500)], b: ['y'.repeat(1500)] })).toBe(
      `{\n"a":["${'x'.repeat(1500)}"],\n"b":["${'y'.repeat(1500)}"]\n}`,
    );
  });

  it('writes a deep object on one line, for example the properties of a schema', () => {
    const properties = { title: { description: 'x'.repeat(3000), type: 'string' } };
    const text = formatDocument({ components: { schemas: { TourDto: { properties } } } });
    expect(text.split('\n')).toContain(`"properties":${JSON.stringify(properties)}`);
  });
});
