import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { QUERY_ERRORS } from '../../../packages/tables/src/catalog/query.errors.js';
import { TABLE_ERRORS } from '../../../packages/tables/src/catalog/tables.errors.js';
import { SearchQueryDto, SearchResultDto } from './dto/search.dto.js';
import { SearchService } from './search.service.js';

/** The search of a workspace. */
@ApiTags('Tables: read')
@ApiErrors(TABLE_ERRORS.table_busy, TABLE_ERRORS.table_changed, QUERY_ERRORS.query_too_expensive)
@ObeysPolicies()
@Controller('v2/api/workspaces/:workspaceId/search')
export class SearchController {
  constructor(private readonly service: SearchService) {}

  @Get()
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({
    summary: 'Search the whole workspace',
  })
  @Enveloped(SearchResultDto)
  search(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Query() query: SearchQueryDto,
  ) {
    return this.service.search(caller, workspaceId, query);
  }
}
