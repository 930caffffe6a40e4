import type { Filter } from './filter-model.js';

type Value = string | number | boolean | null;

const COMPARISONS: Record<string, string> = { eq: 'eq', ne: 'ne', lt: 'lt', lte: 'le', gt: 'gt', gte: 'ge' };
const FUNCTIONS: Record<string, string> = { contains: 'contains', startsWith: 'startswith', endsWith: 'endswith' };

const DATE = /^\d{4}-\d\d-\d\d$/;

/** A filter of `filter-model.ts` as `$filter`. A condition on a text is false, not null, for a row without the text. */
export function toODataFilter(filter: Filter): string {
  const terms = Object.entries(filter).map(([name, operand]) => {
    if (name === 'and' || name === 'or') return `(${(operand as Filter[]).map(toODataFilter).join(` ${name} `)})`;
    if (name === 'not') return `not (${toODataFilter(operand as Filter)})`;
    const property = name.replace(/\./g, 'Row/');
    const conditions = Object.entries(operand as Filter).map(([operator, sent]) =>
      toCondition(property, operator, sent),
    );
    return `(${conditions.join(' and ')})`;
  });
  return terms.join(' and ');
}

function toCondition(property: string, operator: string, sent: unknown): string {
  if (operator in FUNCTIONS)
    return `(${property} ne null and ${FUNCTIONS[operator]}(${property},${toLiteral(sent as Value)}))`;
  // The operand of the feed ignores letter case, as `tolower` of both does.
  if (operator === 'eqIgnoreCase') return `tolower(${property}) eq ${toLiteral(sent as Value)}`;
  if (operator === 'startsWithIgnoreCase' || operator === 'endsWithIgnoreCase')
    return `(${property} ne null and ${operator.slice(0, -10).toLowerCase()}(tolower(${property}),${toLiteral(sent as Value)}))`;
  if (operator === 'null') return `${property} ${sent === true ? 'eq' : 'ne'} null`;
  if (operator === 'between') {
    const [lowest, highest] = sent as [Value, Value];
    return `(${property} ge ${toLiteral(lowest)} and ${property} le ${toLiteral(highest)})`;
  }
  if (operator === 'in' || operator === 'notIn') {
    const list = (sent as Value[]).map(toLiteral).join(',');
    // The key of a row is never null; an empty list has no form in OData.
    const condition = list === '' ? 'key eq null' : `${property} in (${list})`;
    return operator === 'in' ? `(${condition})` : `not (${condition})`;
  }
  return `${property} ${COMPARISONS[operator]} ${toLiteral(sent as Value)}`;
}

export function toLiteral(value: Value): string {
  if (typeof value !== 'string' || DATE.test(value)) return String(value);
  return `'${value.replaceAll("'", "''")}'`;
}
