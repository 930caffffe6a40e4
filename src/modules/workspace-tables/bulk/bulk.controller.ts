import { applyDecorators, Body, Controller, Param, Post, Query, type Type } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Enveloped, Reply } from '../../../platform/http/envelope.js';
import { ApiErrors, ApiErrorsWith } from '../../../platform/http/error.dto.js';
import { BodyLimit, BodyShape, ExactNumbers } from '../../../platform/body/body.decorators.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import {
  AssetsBodyPipe,
  type BulkField,
  ListsBodyPipe,
  LocationsBodyPipe,
  shapeOf,
  TablesBodyPipe,
} from './bulk-body.pipe.js';
import { BulkService } from './bulk.service.js';
import { BulkAssetsDto, BulkListsDto, BulkLocationsDto, BulkQueryDto, BulkTablesDto } from './dto/bulk.dto.js';
import { exampleBody, UNIFIED_EXAMPLE } from '../catalog/dto/table.examples.js';
import { UpsertReportDto } from '../engine/dto/upsert-report.dto.js';
import type { TableBatch } from '../engine/table-plan.js';
import { RowErrorDto } from '../engine/dto/row-error.dto.js';

/** What the four bulk routes have in common (specification, section 4.4). */
function BulkRoute(path: string, body: Type, example: object, summary: string): MethodDecorator {
  const [field] = Object.keys(example);
  return applyDecorators(
    Post(path),
    RequireScope('write:workspaces'),
    BodyLimit('bulk'),
    BodyShape(shapeOf(field as BulkField)),
    ExactNumbers(),
    ApiOperation({
      summary,
      description:
        'Creates tables and columns that are not there, and upserts rows by primary key: the same request sent twice changes ' +
        'nothing the second time. All or nothing, unless `onError=continue`. At most 50,000 rows and 50 MB a request.',
    }),
    ApiParam({ name: 'workspaceId', type: String, format: 'uuid', description: "One of the caller's workspaces." }),
    ApiBody({ type: body, examples: { first: { summary: 'A first batch, with its columns', value: example } } }),
    Enveloped(UpsertReportDto, {
      description: 'Everything was stored.',
      also: {
        201: 'Everything was stored, and a table was created.',
        207: 'With `onError=continue`: the good rows were stored.',
      },
    }),
    ApiErrors(400, 404, 413, 415),
    ApiErrorsWith(RowErrorDto, 409, 422),
  );
}

@ApiTags('Workspace tables')
@Controller('v2/api/workspaces/:workspaceId/cw')
export class BulkController {
  constructor(private readonly bulk: BulkService) {}

  @BulkRoute('locations/bulk', BulkLocationsDto, exampleBody('locations'), 'Upsert rows of Locations tables')
  locations(
    @Param('workspaceId') workspaceId: string,
    @Query() query: BulkQueryDto,
    @Body(LocationsBodyPipe) tables: TableBatch[],
  ) {
    return this.upsert(workspaceId, tables, query);
  }

  @BulkRoute('assets/bulk', BulkAssetsDto, exampleBody('assets'), 'Upsert rows of Assets tables')
  assets(
    @Param('workspaceId') workspaceId: string,
    @Query() query: BulkQueryDto,
    @Body(AssetsBodyPipe) tables: TableBatch[],
  ) {
    return this.upsert(workspaceId, tables, query);
  }

  @BulkRoute('lists/bulk', BulkListsDto, exampleBody('lists'), 'Upsert rows of Lists tables')
  lists(
    @Param('workspaceId') workspaceId: string,
    @Query() query: BulkQueryDto,
    @Body(ListsBodyPipe) tables: TableBatch[],
  ) {
    return this.upsert(workspaceId, tables, query);
  }

  @BulkRoute('bulk', BulkTablesDto, UNIFIED_EXAMPLE, 'Upsert rows of tables of all entities')
  tables(
    @Param('workspaceId') workspaceId: string,
    @Query() query: BulkQueryDto,
    @Body(TablesBodyPipe) tables: TableBatch[],
  ) {
    return this.upsert(workspaceId, tables, query);
  }

  private async upsert(
    workspaceId: string,
    tables: TableBatch[],
    query: BulkQueryDto,
  ): Promise<Reply<UpsertReportDto>> {
    const dryRun = query.dryRun === 'true';
    const options = { continueOnError: query.onError === 'continue', dryRun, returnItems: query.return === 'items' };
    return replyTo(await this.bulk.upsert(workspaceId.toLowerCase(), tables, options), dryRun);
  }
}

/** 207 where rows failed, 201 where a table came to be, else 200. */
export function replyTo<T extends UpsertReportDto>(report: T, dryRun: boolean): Reply<T> {
  const { failed } = report.totals;
  if (failed > 0) return new Reply(report, { status: 207, message: dryRun ? wouldFail(failed) : notStored(failed) });
  const created = !dryRun && report.tables.some((table) => table.tableCreated);
  return new Reply(report, { status: created ? 201 : 200, message: dryRun ? 'Dry run: nothing was stored' : 'Stored' });
}

function notStored(rows: number): string {
  return rows === 1 ? '1 row was not stored' : `${rows} rows were not stored`;
}

function wouldFail(rows: number): string {
  return `Dry run: nothing was stored; ${rows === 1 ? '1 row' : `${rows} rows`} could not be`;
}
