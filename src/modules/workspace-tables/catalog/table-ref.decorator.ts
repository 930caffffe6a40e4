import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { Request } from 'express';
import { NotFoundError } from '../../../platform/http/domain-error.js';
import { exampleTable } from './dto/table.examples.js';
import { type EntityKind, type EntityPath, ENTITY_BY_PATH } from './entity-kind.js';

/** A table as a path names it. */
export interface TableRef {
  workspaceId: string;
  entity: EntityKind;
  /** Its id, or its name whatever its case. */
  table: string;
}

/** The table of a path `…/{workspaceId}/cw/{entity}/{table}`. @throws {NotFoundError} where there is no such entity. */
export const PathTable = createParamDecorator((_: unknown, context: ExecutionContext): TableRef => {
  const { workspaceId, entity, table } = context.switchToHttp().getRequest<Request>().params as Record<string, string>;
  if (!Object.hasOwn(ENTITY_BY_PATH, entity!)) throw new NotFoundError(`The path "${entity!.slice(0, 80)}"`);
  return { workspaceId: workspaceId!.toLowerCase(), entity: ENTITY_BY_PATH[entity as EntityPath], table: table! };
});

const WORKSPACE = { name: 'workspaceId', type: String, format: 'uuid', description: "One of the caller's workspaces." };

/** The route is about a table: `…/{workspaceId}/cw/…/{table}`. */
export function ApiTable(example: string): MethodDecorator & ClassDecorator {
  return applyDecorators(
    ApiParam(WORKSPACE),
    ApiParam({
      name: 'table',
      type: String,
      description: "The table's id, or its percent-encoded name, whatever its case.",
      example,
    }),
  );
}

/** The route is about a table of any entity: `…/{workspaceId}/cw/{entity}/{table}`. @param example the entity it is tried with. */
export function ApiEntity(example: EntityPath): MethodDecorator & ClassDecorator {
  return applyDecorators(
    ApiParam({
      name: 'entity',
      description: "The table's entity.",
      schema: { type: 'string', enum: Object.keys(ENTITY_BY_PATH), example },
    }),
    ApiTable(exampleTable(example)),
  );
}
