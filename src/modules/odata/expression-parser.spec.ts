import { parseFilterExpression, parseOrderBy } from './expression-parser.js';
import type { Expression } from './expression.js';

/** The structure of an expression, with parentheses around each operation. */
function print(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return `${expression.type}:${expression.value}`;
    case 'path':
      return [...expression.names, ...(expression.rest === undefined ? [] : [expression.rest])].join('/');
    case 'call':
      return `${expression.name}(${expression.operands.map(print).join(',')})`;
    case 'and':
    case 'or':
      return `(${expression.terms.map(print).join(` ${expression.kind} `)})`;
    case 'not':
      return `(not ${print(expression.term)})`;
    case 'compare':
      return `(${print(expression.left)} ${expression.operator} ${print(expression.right)})`;
    case 'in':
      return `(${print(expression.left)} in ${expression.values.map(print).join(',')})`;
    case 'arithmetic':
      return `<${expression.operator}>`;
    case 'alias':
      return `@${expression.name}`;
  }
}

describe('parseFilterExpression', () => {
  it.each([
    ["name eq 'it''s'", "(name eq text:it's)"],
    ['weight lt -1e-7', '(weight lt number:-1e-7)'],
    ['installed ge 2024-01-31', '(installed ge date:2024-01-31)'],
    ['installed ge 2024-01-31T00:00:00Z', '(installed ge dateTime:2024-01-31T00:00:00Z)'],
    ['id eq 12345678-1234-1234-1234-123456789abc', '(id eq guid:12345678-1234-1234-1234-123456789abc)'],
    ['a eq null', '(a eq null:null)'],
    ['a or b and c', '(a or (b and c))'],
    ['a and b or c', '((a and b) or c)'],
    ['not a and b', '((not a) and b)'],
    ['not(a eq 1)', '(not (a eq number:1))'],
    ["not contains(name,'x') and weight gt 1.5", '((not contains(name,text:x)) and (weight gt number:1.5))'],
    ["a in ('x','y')", '(a in text:x,text:y)'],
    ['nullable eq trueish', '(nullable eq trueish)'],
    ['INFORMATION eq INF', '(INFORMATION eq number:INF)'],
    ["locationRow/parentRow/name eq 'x'", '(locationRow/parentRow/name eq text:x)'],
    ["(contains(name,'x')) eq true", '(contains(name,text:x) eq boolean:true)'],
    ['items/any(i:i/weight eq 1)', 'items/any()'],
    ['items/$count gt 1', '(items/$count gt number:1)'],
    ['a add 1 mul 2 eq 3', '(<add> eq number:3)'],
    ["duration'P1D' eq a", "(other:duration'P1D' eq a)"],
    ['a eq @p', '(a eq @p)'],
    [`a  eq\t'ü😀"'`, '(a eq text:ü😀")'],
  ])('parses %s', (text, printed) => {
    expect(print(parseFilterExpression(text))).toBe(printed);
  });

  it.each([
    ['', 'the end'],
    ['a eq', 'the end'],
    ["a eq 'x", 'position 5'],
    ['a eq 1)', 'position 6'],
    ['a = 1', 'position 2'],
    ["a eq 'x'; DROP TABLE t", 'position 8'],
    ['a eq eq', 'position 5'],
    ['(a eq 1', 'the end'],
    ['a in ()', 'position 6'],
    ['a eq 1 or', 'the end'],
  ])('rejects %j and names the position', (text, position) => {
    expect(() => parseFilterExpression(text)).toThrow(position);
  });

  it.each([
    ['parentheses', '('.repeat(51) + 'a eq 1' + ')'.repeat(51)],
    ['negations', 'not '.repeat(51) + 'a'],
    ['open parentheses', '('.repeat(15_000)],
    ['calls', 'tolower('.repeat(1_900)],
  ])('rejects too many nested %s before it parses them', (_, text) => {
    expect(() => parseFilterExpression(text)).toThrow('more than 50 nested');
  });

  it('rejects a text of more than 100,000 characters', () => {
    expect(() => parseFilterExpression('a'.repeat(100_001))).toThrow('at most 100000');
  });

  it.each([
    ['nested parentheses', '('.repeat(50) + 'a eq 1' + ')'.repeat(50)],
    ['nested calls without an end', 'tolower('.repeat(50) + 'a'],
    ['conditions', Array.from({ length: 8_000 }, () => 'a eq 1').join(' or ')],
    ['a quote that is not closed', `a eq '${"''".repeat(49_000)}`],
    ['letters', 'a'.repeat(100_000)],
    ['digits and hyphens', `a eq ${'1-'.repeat(49_000)}`],
  ])('parses or rejects %s in a time that grows with the length', (_, text) => {
    const startedAt = process.cpuUsage();
    try {
      parseFilterExpression(text);
    } catch {
      // Only the time matters.
    }
    expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(1_000);
  });
});

describe('parseOrderBy', () => {
  it('parses terms with and without a direction', () => {
    const terms = parseOrderBy('weight desc, name,installed asc');
    expect(terms.map(({ expression, descending }) => [print(expression), descending])).toEqual([
      ['weight', true],
      ['name', false],
      ['installed', false],
    ]);
  });

  it.each(['', 'a b', 'a desc desc', ',a', 'a,'])('rejects %j', (text) => {
    expect(() => parseOrderBy(text)).toThrow('$orderby: the expression is not valid');
  });
});
