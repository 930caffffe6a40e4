import { parseConditions } from './conditions.js';

describe('conditions of the command line', () => {
  it.each<[string[], object]>([
    [['weight>=100'], { weight: { gte: '100' } }],
    [['weight>=100', 'weight < 200'], { weight: { gte: '100', lt: '200' } }],
    [['name~pump', 'plant!=1000'], { name: { contains: 'pump' }, plant: { ne: '1000' } }],
    [['name^=Feed', 'name$=pump'], { name: { startsWith: 'Feed', endsWith: 'pump' } }],
    [['location.name^=a=b'], { 'location.name': { startsWith: 'a=b' } }],
    [['plant='], { plant: { null: true } }],
    [['plant!='], { plant: { null: false } }],
    [['plant!=', 'plant!=1000'], { plant: { null: false, ne: '1000' } }],
    [['sum(weight)>10'], { 'sum(weight)': { gt: '10' } }],
    [
      ['name~a', 'name~b', 'key=1'],
      { and: [{ name: { contains: 'a' }, key: { eq: '1' } }, { name: { contains: 'b' } }] },
    ],
    [['{"or":[{"a":1},{"b":2}]}'], { and: [{ or: [{ a: 1 }, { b: 2 }] }] }],
    [['key=1', '{"not":{"a":1}}'], { and: [{ key: { eq: '1' } }, { not: { a: 1 } }] }],
    // The service reads the text by the type of the column.
    [['{"tag":{"in":[12345678901234567890,1.50]}}'], { and: [{ tag: { in: ['12345678901234567890', 1.5] } }] }],
    [['name=a\nb'], { name: { eq: 'a\nb' } }],
    [['name=\n'], { name: { eq: '\n' } }],
    [[], {}],
  ])('%j', (texts, filter) => {
    expect(parseConditions(texts)).toEqual(filter);
  });

  it.each([['weight'], ['=5'], ['weight>='], ['name~'], ['{"or":'], ['{"a":1,"a":2}']])('rejects %s', (text) => {
    expect(() => parseConditions([text])).toThrow('Write for example');
  });

  it.each(['name<>a', 'name==a', 'name=~a', 'weight=>1'])('rejects the operator of %s', (text) => {
    expect(() => parseConditions([text])).toThrow('has no known operator');
  });

  it.each([
    ['plant=', true],
    ['plant!=', false],
  ])('rejects %s if what matches is changed', (text, isNull) => {
    expect(() => parseConditions([text], { selectsWrites: true })).toThrow(`'{"plant":{"null":${isNull}}}'`);
  });
});
