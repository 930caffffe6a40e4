import { applyDecorators, Body, Controller, Post, Query, type Type } from '@nestjs/common';
import { ApiBody, ApiOperation } from '@nestjs/swagger';
import { ApiGroup } from '../../../platform/http/api-group.decorator.js';
import { MAX_BULK_BYTES } from '../../../platform/body/body-limits.js';
import { BodyLimit, BodyShape, ExactNumbers } from '../../../platform/body/body.decorators.js';
import { formatBytes, formatCount } from '../../../platform/config/limits.js';
import { Enveloped, type Reply } from '../../../platform/http/envelope.js';
import { ApiErrors, ApiErrorsWith } from '../../../platform/http/error.dto.js';
import { Caller, type Principal } from '../../../platform/security/principal.js';
import { ObeysPolicies } from '../../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import { ROW_ERROR } from '../catalog/dto/table-error.dto.js';
import { exampleBody, UNIFIED_EXAMPLE } from '../catalog/dto/table.examples.js';
import { IMPORT_ADVICE, MAX_REQUEST_ROWS } from '../../../../packages/tables/src/catalog/request-limits.js';
import { CallerView } from '../catalog/table-ref.decorator.js';
import type { View } from '../../../../packages/tables/src/catalog/view.js';
import { UpsertReportDto } from '../engine/dto/upsert-report.dto.js';
import { toUpsertReply, toWriteOptions, WAITS_FOR_APPROVAL } from '../engine/write-reply.js';
import { APPROVAL_ERRORS } from '../history/proposals.errors.js';
import { BulkService } from './bulk.service.js';
import { BulkAssetsDto, BulkListsDto, BulkLocationsDto, BulkQueryDto, BulkTablesDto } from './dto/bulk.dto.js';
import { type BulkField, describeBody, readBulkBody } from './read-bulk-body.js';
import { TABLE_POLICY_ERRORS } from '../../../../packages/tables/src/catalog/policy.errors.js';
import { TABLE_ERRORS } from '../../../../packages/tables/src/catalog/tables.errors.js';

const MAX_SIZE = `${formatCount(MAX_REQUEST_ROWS, 'rows')} and ${formatBytes(MAX_BULK_BYTES)}`;

const RULES = `Creates missing tables and columns, and upserts rows by key. At most ${MAX_SIZE}.`;
const AS_FOR_LOCATIONS = 'Creates missing tables, as *Upsert locations*.';

/** The facts that the four bulk routes share (specification, section 4.4). */
function BulkRoute(path: string, body: Type, example: object, summary: string, description = RULES): MethodDecorator {
  const [field] = Object.keys(example);
  return applyDecorators(
    Post(path),
    RequireScope('write:workspaces', 'editor'),
    BodyLimit('bulk', IMPORT_ADVICE),
    BodyShape(describeBody(field as BulkField)),
    ExactNumbers(),
    ApiOperation({ summary, description }),
    ApiBody({ type: body, examples: { first: { summary: 'A first batch, with its columns', value: example } } }),
    Enveloped(UpsertReportDto, {
      description: 'Everything was stored.',
      also: {
        201: 'Everything was stored, and a table was created.',
        202: WAITS_FOR_APPROVAL,
        207: 'With `onError=continue`: the valid rows were stored.',
      },
    }),
    ApiErrors(TABLE_ERRORS.too_many_rows, TABLE_ERRORS.too_many_tables),
    ApiErrors(TABLE_ERRORS.table_busy, TABLE_ERRORS.table_changed),
    ApiErrorsWith(ROW_ERROR, TABLE_ERRORS.invalid_rows, TABLE_ERRORS.invalid_columns, TABLE_ERRORS.duplicate_table),
    ApiErrorsWith(ROW_ERROR, TABLE_ERRORS.column_type_conflict),
    ApiErrors(...APPROVAL_ERRORS),
    ApiErrorsWith(ROW_ERROR, TABLE_POLICY_ERRORS.read_only, TABLE_POLICY_ERRORS.table_not_permitted),
  );
}

@ApiGroup({
  name: 'Tables: push',
  description:
    'Send master data in bulk: rows are created or updated by their primary key, all or nothing. The first batch of a ' +
    'table contains its columns.',
  guide: 'tables',
})
@ObeysPolicies()
@Controller('v2/api/workspaces/:workspaceId/cw')
export class BulkController {
  constructor(private readonly bulk: BulkService) {}

  @BulkRoute('locations/bulk', BulkLocationsDto, exampleBody('locations'), 'Upsert locations')
  locations(
    @Caller() caller: Principal,
    @CallerView() view: View,
    @Query() query: BulkQueryDto,
    @Body() body: unknown,
  ) {
    return this.upsert(caller, view, 'locations', query, body);
  }

  @BulkRoute('assets/bulk', BulkAssetsDto, exampleBody('assets'), 'Upsert assets', AS_FOR_LOCATIONS)
  assets(@Caller() caller: Principal, @CallerView() view: View, @Query() query: BulkQueryDto, @Body() body: unknown) {
    return this.upsert(caller, view, 'assets', query, body);
  }

  @BulkRoute('lists/bulk', BulkListsDto, exampleBody('lists'), 'Upsert lists', AS_FOR_LOCATIONS)
  lists(@Caller() caller: Principal, @CallerView() view: View, @Query() query: BulkQueryDto, @Body() body: unknown) {
    return this.upsert(caller, view, 'lists', query, body);
  }

  @BulkRoute('bulk', BulkTablesDto, UNIFIED_EXAMPLE, 'Upsert rows of several tables')
  tables(@Caller() caller: Principal, @CallerView() view: View, @Query() query: BulkQueryDto, @Body() body: unknown) {
    return this.upsert(caller, view, 'tables', query, body);
  }

  private async upsert(
    { userId }: Principal,
    view: View,
    field: BulkField,
    query: BulkQueryDto,
    body: unknown,
  ): Promise<Reply<UpsertReportDto>> {
    const options = toWriteOptions(query, { source: 'bulk', userId });
    const report = await this.bulk.upsert(view, await readBulkBody(field, body), options);
    return toUpsertReply(report, options.dryRun);
  }
}
