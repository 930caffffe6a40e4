import { applyDecorators, Controller, Get, Param, Query, Req, type Type } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Config } from '../../../platform/config/config.js';
import { Enveloped, Reply } from '../../../platform/http/envelope.js';
import { ApiFailures } from '../../../platform/http/error.dto.js';
import type { Page } from '../../../platform/http/page.dto.js';
import { nextPageLink } from '../../../platform/http/page-link.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import { ApiEntity, PathTable, type TablePath } from '../table-path.decorator.js';
import { ChangesPageDto, ChangesQueryDto, ItemPathDto, UnresolvedPageDto, UnresolvedQueryDto } from './dto/item.dto.js';
import { ItemsPageDto, ItemsQueryDto } from './dto/items.dto.js';
import { KeyInPath } from './item-routes.decorator.js';
import { ItemService } from './item.service.js';
import { ItemsService } from './items.service.js';

const Reads = (summary: string, dto: Type, description?: string) =>
  applyDecorators(
    RequireScope('read:workspaces'),
    ApiOperation({ summary, description }),
    Enveloped(dto),
    ApiFailures(400, 404),
  );

/** Where rows stand in their hierarchy, what changed, and what is missing. */
@ApiTags('Workspace tables')
@Controller('v2/api/workspaces/:workspaceId/cw/:entity/:table')
export class TableReadsController {
  constructor(
    private readonly items: ItemsService,
    private readonly item: ItemService,
    private readonly config: Config,
  ) {}

  @Get('items/:key/path')
  @Reads('Read where a row stands: the rows above it, from the top', ItemPathDto)
  @ApiEntity('locations')
  @KeyInPath('AT10')
  path(@PathTable() path: TablePath, @Param('key') key: string) {
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
  async children(
    @Req() request: Request,
    @PathTable() path: TablePath,
    @Param('key') key: string,
    @Query() query: ItemsQueryDto,
  ) {
    return this.paged(request, await this.items.children(path, key, query));
  }

  @Get('unresolved')
  @Reads('List the links of a table whose target is not there', UnresolvedPageDto)
  @ApiEntity('assets')
  async unresolved(@Req() request: Request, @PathTable() path: TablePath, @Query() query: UnresolvedQueryDto) {
    return this.paged(request, await this.item.unresolved(path, query));
  }

  @Get('changes')
  @Reads(
    'Follow the changes of a table',
    ChangesPageDto,
    'Rows that were written or deleted since a revision, in the order of revision and key, each once and as it is now. Deleted ' +
      'rows are told for 30 days; a `since` from before is 410, and then an export says how the table is.',
  )
  @ApiEntity('assets')
  @ApiFailures(410)
  async changes(@Req() request: Request, @PathTable() path: TablePath, @Query() query: ChangesQueryDto) {
    return this.paged(request, await this.item.changes(path, query));
  }

  private paged<T extends Page<unknown>>(request: Request, page: T): Reply<T> {
    return new Reply(page, { headers: nextPageLink(this.config.http.publicUrl, request.originalUrl, page.nextCursor) });
  }
}
