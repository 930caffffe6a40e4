import { applyDecorators, Controller, Get, Param, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Config } from '../../../platform/config/config.js';
import { Enveloped, Reply } from '../../../platform/http/envelope.js';
import { ApiFailures } from '../../../platform/http/error.dto.js';
import { nextPageLink } from '../../../platform/http/page-link.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import { exampleTable } from '../bulk/dto/bulk.examples.js';
import { ItemsPageDto, ItemsQueryDto } from './dto/items.dto.js';
import type { EntityKind, Surface } from '../entity-kind.js';
import { ItemsService } from './items.service.js';

/** What the three reads have in common (specification, section 4.5). */
function ItemsRoute(surface: Surface, summary: string): MethodDecorator {
  return applyDecorators(
    Get(`${surface}/:table/items`),
    RequireScope('read:workspaces'),
    ApiOperation({
      summary,
      description: 'Pages by cursor; the address of the next page is in the `Link` header too.',
    }),
    ApiParam({ name: 'workspaceId', type: String, format: 'uuid', description: "One of the caller's workspaces." }),
    ApiParam({
      name: 'table',
      description: "The table's id, or its percent-encoded name, whatever its case.",
      example: exampleTable(surface),
    }),
    Enveloped(ItemsPageDto, { description: 'A page of rows.' }),
    ApiFailures(400, 404),
  );
}

@ApiTags('Workspace tables')
@Controller('v2/api/workspaces/:workspaceId/cw')
export class ItemsController {
  constructor(
    private readonly items: ItemsService,
    private readonly config: Config,
  ) {}

  @ItemsRoute('locations', 'Read rows of a Locations table')
  locations(@Req() request: Request, @Param('table') table: string, @Query() query: ItemsQueryDto) {
    return this.page(request, 'location', table, query);
  }

  @ItemsRoute('assets', 'Read rows of an Assets table')
  assets(@Req() request: Request, @Param('table') table: string, @Query() query: ItemsQueryDto) {
    return this.page(request, 'asset', table, query);
  }

  @ItemsRoute('lists', 'Read rows of a Lists table')
  lists(@Req() request: Request, @Param('table') table: string, @Query() query: ItemsQueryDto) {
    return this.page(request, 'list', table, query);
  }

  private async page(
    request: Request,
    entity: EntityKind,
    table: string,
    query: ItemsQueryDto,
  ): Promise<Reply<ItemsPageDto>> {
    const page = await this.items.page(String(request.params['workspaceId']).toLowerCase(), entity, table, query);
    return new Reply(page, { headers: nextPageLink(this.config.http.publicUrl, request.originalUrl, page.nextCursor) });
  }
}
