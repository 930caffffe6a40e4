import { Controller, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type EntityKind } from '../catalog/entity-kind.js';
import { TablesPageDto, TablesQueryDto } from './dto/tables.dto.js';
import type { TableRef } from '../catalog/table-ref.decorator.js';
import { At, tagged, TableRoutes } from './tables.routes.js';
import { TablesService } from './tables.service.js';

/** Which tables there are, and their columns. */
@ApiTags('Workspace tables')
@Controller('v2/api/workspaces/:workspaceId/cw')
export class TablesController {
  constructor(private readonly tables: TablesService) {}

  @TableRoutes.Lists('locations', 'List Locations tables')
  listLocations(@Param('workspaceId') workspaceId: string, @Query() query: TablesQueryDto) {
    return this.page(workspaceId, 'location', query);
  }

  @TableRoutes.Lists('assets', 'List Assets tables')
  listAssets(@Param('workspaceId') workspaceId: string, @Query() query: TablesQueryDto) {
    return this.page(workspaceId, 'asset', query);
  }

  @TableRoutes.Lists('lists', 'List Lists tables')
  listLists(@Param('workspaceId') workspaceId: string, @Query() query: TablesQueryDto) {
    return this.page(workspaceId, 'list', query);
  }

  @TableRoutes.Gets('locations', 'Get a Locations table with its columns')
  async locations(@At('location') place: TableRef) {
    return tagged(await this.tables.get(place));
  }

  @TableRoutes.Gets('assets', 'Get an Assets table with its columns')
  async assets(@At('asset') place: TableRef) {
    return tagged(await this.tables.get(place));
  }

  @TableRoutes.Gets('lists', 'Get a Lists table with its columns')
  async lists(@At('list') place: TableRef) {
    return tagged(await this.tables.get(place));
  }

  private page(workspaceId: string, entity: EntityKind, query: TablesQueryDto): Promise<TablesPageDto> {
    return this.tables.page(workspaceId.toLowerCase(), entity, query);
  }
}
