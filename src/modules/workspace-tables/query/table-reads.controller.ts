import { applyDecorators, Controller, Get, Param, Query, type Type } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../platform/http/envelope.js';
import { ApiErrors } from '../../../platform/http/error.dto.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import { ApiEntity, PathTable, type TableRef } from '../catalog/table-ref.decorator.js';
import {
  ChangesPageDto,
  ChangesQueryDto,
  ItemPathDto,
  UnresolvedPageDto,
  UnresolvedQueryDto,
} from '../rows/dto/row.dto.js';
import { ItemsPageDto, ItemsQueryDto } from './dto/query-rows.dto.js';
import { KeyInPath } from '../rows/row-routes.decorator.js';
import { RowService } from '../rows/row.service.js';
import { QueryRowsService } from './query-rows.service.js';

const Reads = (summary: string, dto: Type, description?: string) =>
  applyDecorators(
    RequireScope('read:workspaces'),
    ApiOperation({ summary, description }),
    Enveloped(dto),
    ApiErrors(400, 404),
  );

/** Where rows stand in their hierarchy, what changed, and what is missing. */
@ApiTags('Workspace tables')
@Controller('v2/api/workspaces/:workspaceId/cw/:entity/:table')
export class TableReadsController {
  constructor(
    private readonly items: QueryRowsService,
    private readonly item: RowService,
  ) {}

  @Get('items/:key/path')
  @Reads('Read where a row stands: the rows above it, from the top', ItemPathDto)
  @ApiEntity('locations')
  @KeyInPath('AT10')
  path(@PathTable() path: TableRef, @Param('key') key: string) {
    return this.item.path(path, key);
  }

  @Get('items/:key/children')
  @Reads(
    'Read the rows directly below a row',
    ItemsPageDto,
    'Takes what reads of rows take. A parent need not be there.',
  )
  @ApiEntity('locations')
  @KeyInPath('AT10')
  children(@PathTable() path: TableRef, @Param('key') key: string, @Query() query: ItemsQueryDto) {
    return this.items.children(path, key, query);
  }

  @Get('unresolved')
  @Reads('List the links of a table whose target is not there', UnresolvedPageDto)
  @ApiEntity('assets')
  unresolved(@PathTable() path: TableRef, @Query() query: UnresolvedQueryDto) {
    return this.item.unresolved(path, query);
  }

  @Get('changes')
  @Reads(
    'Follow the changes of a table',
    ChangesPageDto,
    'Rows that were written or deleted since a revision, in the order of revision and key, each once and as it is now. Deleted ' +
      'rows are told for 30 days; a `since` from before is 410, and then an export says how the table is.',
  )
  @ApiEntity('assets')
  @ApiErrors(410)
  changes(@PathTable() path: TableRef, @Query() query: ChangesQueryDto) {
    return this.item.changes(path, query);
  }
}
