import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation, Parameter } from '../../api-docs/operations.js';
import { findCollection, nameRecord } from '../../api-docs/record-names.js';
import type { ApiReference } from '../../api-docs/reference.js';
import type { IdChoices, PageRequest } from '../../../packages/pages/src/docs/page-document.js';

/** Extension of the schema of a parameter that is an ID: how the page finds the IDs to choose from. */
const CHOICES_EXTENSION = 'x-choices';

/** Extension of an operation: its position in its group. Operations that end what they act on have one above 0. */
const POSITION_EXTENSION = 'x-position';

interface Methods {
  [method: string]: Operation;
}

/** What an operation does differently on the page. */
const REMARKS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    logout: 'On this page it ends the session of the last *Get a token pair*, if there is one, or else your own.',
  }),
);

/** Adds the order of the operations, and to each ID in a path the list to choose it from. */
export function declareChoices(document: OpenAPIObject, reference: ApiReference): void {
  const paths = document.paths as unknown as Record<string, Methods>;
  const shared = (document.components?.parameters ?? {}) as unknown as Record<string, Parameter>;
  const context = { paths, shared, reference };
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const position = findPosition(method, path, operation, reference);
      if (position > 0) operation[POSITION_EXTENSION] = position;
      const remark = REMARKS.get(operation.operationId);
      if (remark) operation.description = `${operation.description}\n\n${remark}`;
      for (const [index, used] of (operation.parameters ?? []).entries()) {
        const parameter = resolve(used, shared);
        const choices = parameter.in === 'path' && findChoices({ path, method, parameter: parameter.name }, context);
        if (choices)
          operation.parameters![index] = {
            ...parameter,
            schema: { ...parameter.schema, [CHOICES_EXTENSION]: choices },
          };
      }
    }
}

function findPosition(method: string, path: string, { operationId }: Operation, reference: ApiReference): number {
  const index = reference.endingOperations.indexOf(operationId);
  if (index >= 0) return 2 + index;
  return method === 'delete' || isRestore(path) ? 1 : 0;
}

const isRestore = (path: string) => path.endsWith('/restore');

interface Context {
  paths: Record<string, Methods>;
  shared: Record<string, Parameter>;
  reference: ApiReference;
}

interface IdParameter {
  path: string;
  method: string;
  parameter: string;
}

function findChoices({ path, method, parameter }: IdParameter, context: Context): IdChoices | undefined {
  const { paths, shared, reference } = context;
  const collection = findCollection(path, parameter);
  if (!collection) return undefined;
  const contained = reference.containedRecords[collection];
  const list = paths[contained?.list ?? collection]?.['get'];
  if (!list) return undefined;
  const operation = paths[path]![method]!;
  const { operationId } = operation;
  const ends = (operation[POSITION_EXTENSION] as number | undefined) !== undefined && !isRestore(path);
  const replaces = ['patch', 'put'].includes(method) || reference.replacingOperations.includes(operationId);
  const accepted = reference.acceptedRecords[operationId];
  const names = (list.parameters ?? [])
    .map((each) => resolve(each, shared))
    .flatMap((each) => (each.in === 'query' ? [each.name] : []));
  const archived = isRestore(path) ? ['archived=true'] : [];
  const selected = accepted?.values.length === 1 ? [`${accepted.field}=${accepted.values[0]}`] : [];
  return {
    path,
    method,
    kind: nameRecord(collection),
    collection,
    list: contained?.list ?? collection,
    field: contained?.field,
    // `{workspaceId}` is the selected workspace.
    query: ['limit=50', 'workspaceId={workspaceId}', ...archived, ...selected].filter((each) =>
      names.includes(each.split('=')[0]!),
    ),
    security: list.security ?? [],
    accepted,
    ends,
    needsOwn: ends || replaces,
    restores: isRestore(path),
    preparation: ends || replaces ? findPreparation(operationId, collection, context) : [],
  };
}

/** The requests that create a record of its own for the operation. */
function findPreparation(operationId: string, collection: string, { paths, reference }: Context): PageRequest[] {
  const creation = paths[collection]?.['post']?.operationId;
  const ids = reference.preparations[operationId] ?? (creation ? [creation] : []);
  return ids.flatMap((id) =>
    Object.entries(paths).flatMap(([path, { post }]) => {
      if (post?.operationId !== id) return [];
      const { examples = {} } = post.requestBody?.content['application/json'] ?? {};
      return [{ path, body: Object.values(examples)[0]?.value ?? {}, security: post.security ?? [] }];
    }),
  );
}

function resolve(parameter: Parameter & { $ref?: string }, shared: Record<string, Parameter>): Parameter {
  return parameter.$ref ? shared[parameter.$ref.split('/').at(-1)!]! : parameter;
}
