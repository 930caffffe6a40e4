import { applyDecorators, createParamDecorator, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import { ApiHideProperty, ApiParam } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import type { Request } from 'express';
import { InvalidRequestError, unknownField } from '../../../../packages/errors/src/domain-error.js';
import { validateWithOthers } from '../../../platform/http/validation/request-errors.js';
import { EXAMPLE_ASSET, exampleTable } from './dto/table.examples.js';
import {
  type EntityKind,
  type EntityPath,
  ENTITY_BY_PATH,
} from '../../../../packages/tables/src/catalog/entity-kind.js';
import type * as Ref from '../../../../packages/tables/src/catalog/table-ref.js';
import { callerView } from './caller-view.js';
import { type View } from '../../../../packages/tables/src/catalog/view.js';

/** As the decorator of the same name returns it. */
export type EntityRef = Ref.EntityRef;

/** As the decorator of the same name returns it. */
export type TableRef = Ref.TableRef;

/**
 * Reads the reference from the path parameters of a request.
 *
 * @param entity the entity, if the path contains it literally and not as a parameter.
 */
export function readTableRef({ params }: Request, entity?: EntityKind): TableRef {
  const { workspaceId, entity: path, table } = params as Record<string, string>;
  return {
    view: callerView(workspaceId!),
    entity: entity ?? ENTITY_BY_PATH[path as EntityPath],
    table: table!,
  };
}

/**
 * Parameter: the table that the path refers to. `@TableRef('asset')` is for paths that contain the entity literally.
 */
export const TableRef = createParamDecorator((entity: EntityKind | undefined, context: ExecutionContext): TableRef =>
  readTableRef(context.switchToHttp().getRequest<Request>(), entity),
);

/** Parameter: the workspace and entity that the path refers to. */
export const EntityRef = createParamDecorator((_: unknown, context: ExecutionContext): EntityRef => {
  const { view, entity } = readTableRef(context.switchToHttp().getRequest<Request>());
  return { view, entity };
});

/** Parameter: the workspace that the path refers to, as the caller sees it. */
export const CallerView = createParamDecorator((_: unknown, context: ExecutionContext): View => {
  const { workspaceId } = context.switchToHttp().getRequest<Request>().params as Record<string, string>;
  return callerView(workspaceId!);
});

/** Documents `{entity}`. @param example the entity of the example. */
export function ApiEntityRef(example: EntityPath = 'assets'): MethodDecorator & ClassDecorator {
  const schema = { type: 'string' as const, enum: Object.keys(ENTITY_BY_PATH), example };
  return ApiParam({ name: 'entity', description: "The table's entity.", schema });
}

/**
 * Documents `{entity}/{table}`.
 *
 * @param entity the entity of the example table
 * @param table its name
 */
export function ApiTableRef(
  entity: EntityPath = 'assets',
  table: string = exampleTable(entity),
): MethodDecorator & ClassDecorator {
  return applyDecorators(ApiEntityRef(entity), ApiTableOf(entity, table));
}

/** Documents `{table}` in a path whose entity is literal. */
export function ApiTableOf(
  entity: EntityPath,
  example: string = exampleTable(entity),
): MethodDecorator & ClassDecorator {
  const description = "The table's ID, or its name in any letter case.";
  return ApiParam({ name: 'table', type: String, description, example });
}

/** The query of an operation on one row. */
export class RowQueryDto {
  /** The key in `item?key=`, which `RowKey` reads. */
  @ApiHideProperty()
  @Allow()
  key?: unknown;
}

const AddressedKey = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { params, query } = context.switchToHttp().getRequest<Request>();
  return { path: params.key, query: query.key };
});

class RowKeyPipe implements PipeTransform {
  transform({ path, query }: { path?: string; query?: unknown }): string | Promise<string> {
    if (path !== undefined && query === undefined) return path;
    if (path === undefined && typeof query === 'string') return query;
    const missing = { field: 'key', code: 'invalid_field', message: 'key must be a string' };
    const error = path === undefined ? missing : unknownField('key');
    return validateWithOthers('query', Promise.reject(new InvalidRequestError([error])));
  }
}

/**
 * Parameter: the key of a row, of `items/{key}`, or of `item?key=` for keys that clients would alter in a path. The
 * handler also has `@TakesQuery('key')`, or a DTO of the query that extends `RowQueryDto`.
 */
export const RowKey = (): ParameterDecorator => AddressedKey(RowKeyPipe);

/** Documents `{key}`, the primary key of a row. */
export function ApiRowKey(example: string = EXAMPLE_ASSET): MethodDecorator & ClassDecorator {
  const description = "The row's primary key.";
  return ApiParam({ name: 'key', type: String, description, example });
}
