import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ExactNumbers } from '../../../platform/body/body.decorators.js';
import { Enveloped } from '../../../platform/http/envelope.js';
import { withMessage } from '../../../../packages/errors/src/error-definition.js';
import { ApiErrors } from '../../../platform/http/error.dto.js';
import { HTTP_ERRORS } from '../../../../packages/errors/src/http.errors.js';
import { NoIdempotencyKey } from '../../../platform/http/idempotency/no-idempotency-key.decorator.js';
import { ObeysPolicies } from '../../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import { ApiTableRef, TableRef } from '../catalog/table-ref.decorator.js';
import { QUERY_ERRORS } from '../../../../packages/tables/src/catalog/query.errors.js';
import { TABLE_ERRORS } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { AggregatesService } from './aggregates.service.js';
import { AggregateBodyDto, AggregatePageDto, AggregateQueryDto } from './dto/aggregate.dto.js';

const EXAMPLE_QUERY = { group: 'location', measures: 'count,sum(weight)', sort: '-count' };

/** Counts, sums and other measures of the rows of a table. */
@ApiTags('Tables: read')
@ApiErrors(withMessage(HTTP_ERRORS.not_found, 'The table was not found. Check the name or ID.'))
@ApiErrors(TABLE_ERRORS.table_busy, TABLE_ERRORS.table_changed)
@ApiErrors(QUERY_ERRORS.unknown_revision, QUERY_ERRORS.history_expired)
@ApiErrors(QUERY_ERRORS.invalid_query, QUERY_ERRORS.too_many_groups, QUERY_ERRORS.query_too_expensive)
@ObeysPolicies()
@Controller('v2/api/workspaces/:workspaceId/cw/:entity/:table/aggregate')
export class AggregatesController {
  constructor(private readonly aggregates: AggregatesService) {}

  @Get()
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({
    summary: 'Group the rows of a table, and count and sum them',
    description: 'Returns a page of groups with their measures.',
  })
  @ApiTableRef()
  @Enveloped(AggregatePageDto)
  list(@TableRef() ref: TableRef, @Query() query: AggregateQueryDto) {
    return this.aggregates.list(ref, query);
  }

  @Post('query')
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({
    summary: 'Group rows with the query as a body',
    description: 'For the next page, send the same body with `nextCursor` as its `cursor`.',
  })
  @ApiTableRef()
  @NoIdempotencyKey()
  @ExactNumbers()
  @ApiBody({ type: AggregateBodyDto, examples: { first: { value: EXAMPLE_QUERY } } })
  @ApiErrors(HTTP_ERRORS.invalid_cursor)
  @Enveloped(AggregatePageDto)
  query(@TableRef() ref: TableRef, @Body() query: AggregateBodyDto) {
    return this.aggregates.list(ref, query);
  }
}
