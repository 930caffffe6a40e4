import { applyDecorators, Body, Controller, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../platform/http/envelope.js';
import { ApiErrors, ApiErrorsWith } from '../../../platform/http/error.dto.js';
import { type AcceptedVersions, IfMatch } from '../../../platform/http/conditional-requests.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import { EXAMPLE_RENAMES, exampleTable } from '../catalog/dto/table.examples.js';
import { RenameDto, RenamedDto } from './dto/rename.dto.js';
import type { EntityKind, EntityPath } from '../catalog/entity-kind.js';
import { type Rename, RenameService } from './rename.service.js';
import { RowErrorDto } from '../engine/dto/row-error.dto.js';

/** What the three renames have in common. */
function RenameRoute(surface: EntityPath, summary: string): MethodDecorator {
  const { from, to } = EXAMPLE_RENAMES[surface];
  return applyDecorators(
    Post(`${surface}/:table/items/:key/rename`),
    RequireScope('write:workspaces'),
    ApiOperation({
      summary,
      description:
        'Gives the row another key. Its children, the references to it in all tables of the workspace and the notes on it ' +
        'follow, all or nothing. To the key that it has: changes nothing.',
    }),
    ApiParam({ name: 'workspaceId', type: String, format: 'uuid', description: "One of the caller's workspaces." }),
    ApiParam({
      name: 'table',
      description: "The table's id, or its percent-encoded name, whatever its case.",
      example: exampleTable(surface),
    }),
    ApiParam({ name: 'key', description: "The row's primary key, percent-encoded.", example: from }),
    ApiBody({ type: RenameDto, examples: { first: { value: { key: to } } } }),
    Enveloped(RenamedDto, { description: 'The row has the key, and everything that refers to it follows.' }),
    ApiErrors(400, 404, 413, 415),
    ApiErrorsWith(RowErrorDto, 409, 422),
  );
}

@ApiTags('Workspace tables')
@Controller('v2/api/workspaces/:workspaceId/cw')
export class RenameController {
  constructor(private readonly renames: RenameService) {}

  @RenameRoute('locations', 'Rename a row of a Locations table')
  locations(
    @Param('workspaceId') workspaceId: string,
    @Param('table') table: string,
    @Param('key') key: string,
    @IfMatch() accepted: AcceptedVersions,
    @Body() body: RenameDto,
  ) {
    return this.rename(workspaceId, 'location', table, { from: key, to: body.key, accepted });
  }

  @RenameRoute('assets', 'Rename a row of an Assets table')
  assets(
    @Param('workspaceId') workspaceId: string,
    @Param('table') table: string,
    @Param('key') key: string,
    @IfMatch() accepted: AcceptedVersions,
    @Body() body: RenameDto,
  ) {
    return this.rename(workspaceId, 'asset', table, { from: key, to: body.key, accepted });
  }

  @RenameRoute('lists', 'Rename a row of a Lists table')
  lists(
    @Param('workspaceId') workspaceId: string,
    @Param('table') table: string,
    @Param('key') key: string,
    @IfMatch() accepted: AcceptedVersions,
    @Body() body: RenameDto,
  ) {
    return this.rename(workspaceId, 'list', table, { from: key, to: body.key, accepted });
  }

  private rename(
    workspaceId: string,
    entity: EntityKind,
    table: string,
    keys: Pick<Rename, 'from' | 'to' | 'accepted'>,
  ): Promise<RenamedDto> {
    return this.renames.rename(workspaceId.toLowerCase(), { entity, table, ...keys });
  }
}
