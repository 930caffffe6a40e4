import { applyDecorators } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { exampleTable } from './bulk/dto/bulk.examples.js';
import { type Surface, SURFACES } from './entity-kind.js';

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
export function ApiEntity(example: Surface): MethodDecorator & ClassDecorator {
  return applyDecorators(
    ApiParam({ name: 'entity', enum: Object.keys(SURFACES), description: "The table's entity.", example }),
    ApiTable(exampleTable(example)),
  );
}
