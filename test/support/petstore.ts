/** The groups and operations of the petstore example of Swagger, as method and path. */
const GROUPS: Record<string, readonly string[]> = {
  pet: [
    'put /pet',
    'post /pet',
    'get /pet/findByStatus',
    'get /pet/findByTags',
    'get /pet/{petId}',
    'post /pet/{petId}',
    'delete /pet/{petId}',
    'post /pet/{petId}/uploadImage',
  ],
  store: ['get /store/inventory', 'post /store/order', 'get /store/order/{orderId}', 'delete /store/order/{orderId}'],
  user: [
    'post /user',
    'post /user/createWithList',
    'get /user/login',
    'get /user/logout',
    'get /user/{username}',
    'put /user/{username}',
    'delete /user/{username}',
  ],
};

const TYPES = { id: 'integer', name: 'string', status: 'string', quantity: 'integer', complete: 'boolean' };

const SCHEMA = {
  type: 'object',
  properties: Object.fromEntries(Object.entries(TYPES).map(([name, type]) => [name, { type }])),
};

/** A document as small as that of the petstore, with which the page of `swagger-ui-dist` opens by default. */
export function createPetstore(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [tag, operations] of Object.entries(GROUPS))
    for (const operation of operations) {
      const [method, path] = operation.split(' ') as [string, string];
      const content = { 'application/json': { schema: { $ref: `#/components/schemas/${tag}` } } };
      const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      }));
      (paths[path] ??= {})[method] = {
        tags: [tag],
        summary: `The operation ${operation}.`,
        operationId: operation,
        parameters,
        ...(['post', 'put'].includes(method) ? { requestBody: { content } } : {}),
        responses: { 200: { description: 'A success.', content }, 400: { description: 'Invalid input.' } },
      };
    }
  return {
    openapi: '3.0.4',
    info: { title: 'Petstore', version: '1.0.0', description: 'A document for measurements.' },
    tags: Object.keys(GROUPS).map((name) => ({ name, description: `Everything about ${name}.` })),
    paths,
    components: { schemas: Object.fromEntries(Object.keys(GROUPS).map((name) => [name, SCHEMA])) },
  };
}
