/**
 * The collection in which a path parameter is an ID, such as `/v1/api/tours` for `{id}` in
 * `/v1/api/tours/{id}/restore`. Undefined for other parameters, and for workspaces.
 */
export function findCollection(path: string, parameter: string): string | undefined {
  const end = path.indexOf(`/{${parameter}}`);
  if (end < 0 || !/^id$|Id$/.test(parameter)) return undefined;
  const collection = path.slice(0, end);
  return collection.endsWith('/workspaces') ? undefined : collection;
}

/** What one record of the collection is: `virtual staging` for `/v1/api/virtual-stagings`. */
export function nameRecord(collection: string): string {
  return collection
    .split('/')
    .at(-1)!
    .replaceAll('-', ' ')
    .replace(/^api\b/, 'API')
    .replace(/ies$/, 'y')
    .replace(/(?<=ch)es$|s$/, '');
}
