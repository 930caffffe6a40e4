/**
 * Names of operations that the rule of `operationIdOf()` does not yield, by `Controller.method` without "Controller".
 */
export type OperationNames = Readonly<Record<string, string>>;

/**
 * The ID of an operation, from which generators of clients derive function names: a verb and what it acts on, such as
 * `listTours`, `getTour` or `createTours` (bulk). The rule suits the methods that every kind of record has.
 */
export function operationIdOf(controller: string, method: string, names: OperationNames): string {
  const records = controller.replace(/Controller$/, '');
  const name = names[`${records}.${method}`];
  if (name !== undefined) return name;
  if (method === 'list') return `list${records}`;
  if (method === 'createAll') return `create${records}`;
  return method + toSingular(records);
}

function toSingular(records: string): string {
  return records.replace(/ies$/, 'y').replace(/(?<=ch)es$|(?<!s)s$/, '');
}
