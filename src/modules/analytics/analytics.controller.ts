import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { AnalyticsService } from './analytics.service.js';
import { SeriesQueryDto, FilterQueryDto, WorkspaceQueryDto } from './dto/analytics-query.dto.js';
import { NoteAnalyticsDto } from './dto/note-analytics.dto.js';
import { OverviewDto } from './dto/overview.dto.js';
import { TableAnalyticsDto } from './dto/table-analytics.dto.js';
import { TourAnalyticsDto } from './dto/tour-analytics.dto.js';

@ApiTags('Analytics')
@Controller('v1/api/analytics')
export class AnalyticsController {
  constructor(private readonly analytics: AnalyticsService) {}

  @Get('overview')
  @RequireScope('read:analytics')
  @ApiOperation({
    summary: 'Count the notes, tours, tags and stagings of a workspace, a project or a location, as they are now',
  })
  @Enveloped(OverviewDto)
  @ApiErrors(400, 404, 422)
  overview(@Caller() caller: Principal, @Query() query: FilterQueryDto) {
    return this.analytics.overview(caller, query);
  }

  @Get('notes')
  @RequireScope('read:analytics')
  @ApiOperation({
    summary: 'Count notes opened, closed and overdue, by day, week or month, status, priority and assignee',
    description:
      'Archived notes do not count. A note counts with the status, times and places that it has now: one that was opened ' +
      'again was never closed.',
  })
  @Enveloped(NoteAnalyticsDto)
  @ApiErrors(400, 404, 422)
  notes(@Caller() caller: Principal, @Query() query: SeriesQueryDto) {
    return this.analytics.notes(caller, query);
  }

  @Get('tours')
  @RequireScope('read:analytics')
  @ApiOperation({
    summary: 'Count tours, tags and stagings created, published and rendered, by day, week or month',
    description:
      'Archived ones do not count. At a location are its tags, and the tours that have one of them with their stagings.',
  })
  @Enveloped(TourAnalyticsDto)
  @ApiErrors(400, 404, 422)
  tours(@Caller() caller: Principal, @Query() query: SeriesQueryDto) {
    return this.analytics.tours(caller, query);
  }

  @Get('tables')
  @RequireScope('read:analytics')
  @ApiOperation({ summary: 'Count the rows of each table of a workspace, and the links whose target is not there' })
  @Enveloped(TableAnalyticsDto)
  @ApiErrors(400, 404)
  tables(@Caller() caller: Principal, @Query() query: WorkspaceQueryDto) {
    return this.analytics.tables(caller, query);
  }
}
