import { Controller, Param, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Config } from '../../../platform/config/config.js';
import { Reply } from '../../../platform/http/envelope.js';
import { nextPageLink } from '../../../platform/http/page-link.js';
import { type EntityKind } from '../entity-kind.js';
import { TablesPageDto, TablesQueryDto } from './dto/tables.dto.js';
import type { TablePath } from '../table-path.decorator.js';
import { At, tagged, TableRoutes } from './tables.routes.js';
import { TablesService } from './tables.service.js';

/** Which tables there are, and their columns. */
@ApiTags('Workspace tables')
@Controller('v2/api/workspaces/:workspaceId/cw')
export class TablesController {
  constructor(
    private readonly tables: TablesService,
    private readonly config: Config,
  ) {}

  @TableRoutes.Lists('locations', 'List Locations tables')
  listLocations(@Req() request: Request, @Param('workspaceId') workspaceId: string, @Query() query: TablesQueryDto) {
    return this.page(request, workspaceId, 'location', query);
  }

  @TableRoutes.Lists('assets', 'List Assets tables')
  listAssets(@Req() request: Request, @Param('workspaceId') workspaceId: string, @Query() query: TablesQueryDto) {
    return this.page(request, workspaceId, 'asset', query);
  }

  @TableRoutes.Lists('lists', 'List Lists tables')
  listLists(@Req() request: Request, @Param('workspaceId') workspaceId: string, @Query() query: TablesQueryDto) {
    return this.page(request, workspaceId, 'list', query);
  }

  @TableRoutes.Gets('locations', 'Get a Locations table with its columns')
  async locations(@At('location') place: TablePath) {
    return tagged(await this.tables.get(place));
  }

  @TableRoutes.Gets('assets', 'Get an Assets table with its columns')
  async assets(@At('asset') place: TablePath) {
    return tagged(await this.tables.get(place));
  }

  @TableRoutes.Gets('lists', 'Get a Lists table with its columns')
  async lists(@At('list') place: TablePath) {
    return tagged(await this.tables.get(place));
  }

  private async page(
    request: Request,
    workspaceId: string,
    entity: EntityKind,
    query: TablesQueryDto,
  ): Promise<Reply<TablesPageDto>> {
    const page = await this.tables.page(workspaceId.toLowerCase(), entity, query);
    return new Reply(page, { headers: nextPageLink(this.config.http.publicUrl, request.originalUrl, page.nextCursor) });
  }
}
