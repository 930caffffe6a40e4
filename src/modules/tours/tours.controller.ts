import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiFailures } from '../../platform/http/error.dto.js';
import { UuidPipe } from '../../platform/http/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { CreateTourDto, ListToursDto, TourDto, TourPageDto } from './dto/tour.dto.js';
import { ToursService } from './tours.service.js';

const EXAMPLE = { projectId: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a', title: 'Boiler house, ground floor' };

@ApiTags('Tours')
@Controller('v1/api/tours')
export class ToursController {
  constructor(private readonly tours: ToursService) {}

  @Post()
  @RequireScope('write:tours')
  @ApiOperation({ summary: 'Create a tour' })
  @ApiBody({ type: CreateTourDto, examples: { first: { value: EXAMPLE } } })
  @Enveloped(TourDto, { status: 201, message: 'The tour was created' })
  @ApiFailures(400, 404, 413, 415)
  create(@Caller() caller: Principal, @Body() body: CreateTourDto) {
    return this.tours.create(caller, body);
  }

  @Get()
  @RequireScope('read:tours')
  @ApiOperation({ summary: "List the tours of the caller's workspaces" })
  @Enveloped(TourPageDto)
  @ApiFailures(400, 404)
  list(@Caller() caller: Principal, @Query() query: ListToursDto) {
    return this.tours.list(caller, query);
  }

  @Get(':id')
  @RequireScope('read:tours')
  @ApiOperation({ summary: 'Get a tour' })
  @Enveloped(TourDto)
  @ApiFailures(400, 404)
  get(@Caller() caller: Principal, @Param('id', UuidPipe) id: string) {
    return this.tours.get(caller, id);
  }
}
