import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { AnalyticsService } from './analytics.service.js';
import { SeriesQueryDto, FilterQueryDto, WorkspaceQueryDto } from './dto/analytics-query.dto.js';
import { NoteAnalyticsDto } from './dto/note-analytics.dto.js';
import { OverviewDto } from './dto/overview.dto.js';
import { TableAnalyticsDto } from './dto/table-analytics.dto.js';
import { TourAnalyticsDto } from './dto/tour-analytics.dto.js';
import { TABLE_ERRORS } from '../../../packages/tables/src/catalog/tables.errors.js';

@ApiGroup({
  name: 'Analytics',
  description: 'Counts of notes, tours and tables, also per day, week or month. Archived records are not counted.',
  guide: 'analytics',
})
@ApiErrors(TABLE_ERRORS.table_changed)
@ObeysPolicies()
@Controller('v1/api/analytics')
export class AnalyticsController {
  constructor(private readonly analytics: AnalyticsService) {}

  @Get('overview')
  @RequireScope('read:analytics', 'reader')
  @ApiOperation({
    summary: 'Count records',
    description: 'The current notes, tours, tags and virtual stagings of a workspace, project or location.',
  })
  @Enveloped(OverviewDto)
  @ApiErrors(TABLE_ERRORS.unknown_row, TABLE_ERRORS.unknown_table)
  overview(@Caller() caller: Principal, @Query() query: FilterQueryDto) {
    return this.analytics.overview(caller, query);
  }

  @Get('notes')
  @RequireScope('read:analytics', 'reader')
  @ApiOperation({
    summary: 'Count notes over time',
    description:
      'Opened, closed and overdue notes by day, week or month, status, priority and assignee, without archived ones. ' +
      'A reopened note is not closed.',
  })
  @Enveloped(NoteAnalyticsDto)
  @ApiErrors(TABLE_ERRORS.unknown_row, TABLE_ERRORS.unknown_table)
  notes(@Caller() caller: Principal, @Query() query: SeriesQueryDto) {
    return this.analytics.notes(caller, query);
  }

  @Get('tours')
  @RequireScope('read:analytics', 'reader')
  @ApiOperation({
    summary: 'Count tours and tags over time',
    description:
      'Created and published tours, tags and virtual stagings by day, week or month, without archived records. ' +
      'A location contains its tags, their tours and virtual stagings.',
  })
  @Enveloped(TourAnalyticsDto)
  @ApiErrors(TABLE_ERRORS.unknown_row, TABLE_ERRORS.unknown_table)
  tours(@Caller() caller: Principal, @Query() query: SeriesQueryDto) {
    return this.analytics.tours(caller, query);
  }

  @Get('tables')
  @RequireScope('read:analytics', 'reader')
  @ApiOperation({
    summary: 'Count rows',
    description: 'The rows and the unresolved references of each table of a workspace.',
  })
  @Enveloped(TableAnalyticsDto)
  tables(@Caller() caller: Principal, @Query() query: WorkspaceQueryDto) {
    return this.analytics.tables(caller, query);
  }
}
