import { applyDecorators, Controller, Delete, Get, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Enveloped, Reply } from '../../../platform/http/envelope.js';
import { ApiErrors, ApiErrorsWith } from '../../../platform/http/error.dto.js';
import { PageOf, PageQueryDto } from '../../../platform/http/page.dto.js';
import { UuidPipe } from '../../../platform/http/validation/uuid.pipe.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import { GuardReadsBody } from '../../../platform/body/body.decorators.js';
import { replyTo } from '../bulk/bulk.controller.js';
import { exampleFiles, exampleTable } from '../catalog/dto/table.examples.js';
import { type EntityPath, ENTITY_BY_PATH } from '../catalog/entity-kind.js';
import { ImportDto, ImportQueryDto, ImportReportDto } from './dto/imports.dto.js';
import { ImportUploadGuard, ImportsInto } from './import-upload.guard.js';
import { ImportRecordsService } from './import-records.service.js';
import { ImportsService } from './imports.service.js';
import { ImportErrorDto } from './dto/import-error.dto.js';

const WorkspaceParam = () =>
  ApiParam({ name: 'workspaceId', type: String, format: 'uuid', description: "One of the caller's workspaces." });

/** Each media type with an example of its own, which decorators of bodies cannot say. */
function bodyOf(surface: EntityPath) {
  const content = Object.entries(exampleFiles(surface)).map(([type, value]) => [
    type,
    { schema: { type: 'string' }, examples: { first: { summary: 'A few rows', value } } },
  ]);
  return { required: true, content: Object.fromEntries(content) as Record<string, object> };
}

/** What the three imports have in common (specification, section 4.4). */
function ImportRoute(surface: EntityPath, summary: string): MethodDecorator {
  return applyDecorators(
    Post(`${surface}/:table/items/import`),
    RequireScope('write:workspaces'),
    GuardReadsBody(),
    ImportsInto(ENTITY_BY_PATH[surface]),
    UseGuards(ImportUploadGuard),
    ApiOperation({
      summary,
      description:
        'Upserts rows by primary key from a file of any length, as bulk does: a JSON object on each line, or CSV whose header ' +
        'names the columns by key or name, and in which an empty cell is null. The table must be there. All or nothing, ' +
        'unless `onError=continue`. Faults name the line.',
      requestBody: bodyOf(surface),
    }),
    WorkspaceParam(),
    ApiParam({
      name: 'table',
      description: "The table's id, or its percent-encoded name, whatever its case.",
      example: exampleTable(surface),
    }),
    ApiHeader({ name: 'Content-Encoding', required: false, schema: { type: 'string', enum: ['gzip', 'identity'] } }),
    Enveloped(ImportReportDto, {
      description: 'Everything was stored.',
      also: { 207: 'With `onError=continue`: the good rows were stored.' },
    }),
    ApiErrors(400, 404, 415, 503),
    ApiErrorsWith(ImportErrorDto, 409, 413, 422),
  );
}

@ApiTags('Workspace tables')
@Controller('v2/api/workspaces/:workspaceId/cw')
export class ImportsController {
  constructor(
    private readonly imports: ImportsService,
    private readonly records: ImportRecordsService,
  ) {}

  @ImportRoute('locations', 'Import rows into a Locations table')
  locations(@Req() request: Request, @Query() query: ImportQueryDto) {
    return this.carryOut(request, query);
  }

  @ImportRoute('assets', 'Import rows into an Assets table')
  assets(@Req() request: Request, @Query() query: ImportQueryDto) {
    return this.carryOut(request, query);
  }

  @ImportRoute('lists', 'Import rows into a Lists table')
  lists(@Req() request: Request, @Query() query: ImportQueryDto) {
    return this.carryOut(request, query);
  }

  @Get('imports')
  @RequireScope('read:workspaces')
  @ApiOperation({ summary: 'List imports of the last 30 days, the newest first' })
  @WorkspaceParam()
  @Enveloped(PageOf(ImportDto), { description: 'A page of imports.' })
  @ApiErrors(400, 404)
  list(@Param('workspaceId') workspaceId: string, @Query() query: PageQueryDto) {
    return this.records.page(workspaceId.toLowerCase(), query);
  }

  @Get('imports/:id')
  @RequireScope('read:workspaces')
  @ApiOperation({ summary: 'See how far an import is' })
  @WorkspaceParam()
  @Enveloped(ImportDto)
  @ApiErrors(400, 404)
  one(@Param('workspaceId') workspaceId: string, @Param('id', UuidPipe) id: string) {
    return this.records.get({ workspaceId: workspaceId.toLowerCase(), id });
  }

  @Delete('imports/:id')
  @RequireScope('write:workspaces')
  @ApiOperation({
    summary: 'Cancel an import that is under way',
    description: 'Nothing of it is stored; its own request is answered 409 within about a second.',
  })
  @WorkspaceParam()
  @Enveloped(ImportDto, { message: 'The import was cancelled' })
  @ApiErrors(400, 404, 409)
  cancel(@Param('workspaceId') workspaceId: string, @Param('id', UuidPipe) id: string) {
    return this.records.cancel({ workspaceId: workspaceId.toLowerCase(), id });
  }

  private async carryOut({ tableImport }: Request, query: ImportQueryDto): Promise<Reply<ImportReportDto>> {
    const dryRun = query.dryRun === 'true';
    const options = { continueOnError: query.onError === 'continue', dryRun };
    return replyTo(await tableImport!.execute((received) => this.imports.execute(received, options)), dryRun);
  }
}
