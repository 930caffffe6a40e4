import { Body, Controller, Param, Query } from '@nestjs/common';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import { type AcceptedVersions, IfMatch, replyWithEtag } from '../../platform/http/conditional-requests.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { BulkCreateQueryDto } from '../../records/bulk-create.dto.js';
import { selectFields } from '../../records/field-selection.js';
import { defineRecordRoutes, replyToBulk, replyToUpsert } from '../../records/record-routes.decorator.js';
import { ChangeTourDto, CreateTourDto, ListToursDto, TourDto, TourPageDto, ToursBulkDto } from './dto/tour.dto.js';
import { ToursService } from './tours.service.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';

const { CreateRoute, BulkCreateRoute, ListRoute, GetRoute, ChangeRoute, ArchiveRoute, RestoreRoute } =
  defineRecordRoutes({
    one: 'tour',
    many: 'tours',
    dto: TourDto,
    scopes: { read: 'read:tours', write: 'write:tours', archive: 'delete:tours' },
    roles: { read: 'reader', write: 'editor', archive: 'editor' },
  });
const EXAMPLE = { projectId: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a', title: 'Boiler house, ground floor' };
const CHANGE = { status: 'published', shareUrl: 'https://my.matterport.com/show/?m=SxQL3iGyoDo' };

@ApiGroup({
  name: 'Tours',
  description: 'A 3D tour belongs to a project and has tags. Create up to 1,000 tours with one request.',
  guide: 'records',
})
@ObeysPolicies()
@Controller('v1/api/tours')
export class ToursController {
  constructor(private readonly tours: ToursService) {}

  @CreateRoute(CreateTourDto, EXAMPLE)
  async create(@Caller() caller: Principal, @Body() body: CreateTourDto, @IfMatch() accepted: AcceptedVersions) {
    return replyToUpsert(await this.tours.create(caller, body, accepted), 'The tour');
  }

  @BulkCreateRoute(ToursBulkDto, EXAMPLE)
  async createAll(@Caller() caller: Principal, @Body() { items }: ToursBulkDto, @Query() query: BulkCreateQueryDto) {
    return replyToBulk(await this.tours.createAll(caller, items, query));
  }

  @ListRoute(TourPageDto)
  async list(@Caller() caller: Principal, @Query() query: ListToursDto) {
    return selectFields(await this.tours.list(caller, query), query.fields);
  }

  @GetRoute()
  async get(@Caller() caller: Principal, @Param('id', UuidPipe) id: string) {
    return replyWithEtag(await this.tours.get(caller, id));
  }

  @ChangeRoute(ChangeTourDto, CHANGE)
  async change(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @Body() body: ChangeTourDto,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return replyWithEtag(await this.tours.change(caller, id, body, accepted));
  }

  @ArchiveRoute()
  async archive(@Caller() caller: Principal, @Param('id', UuidPipe) id: string, @IfMatch() accepted: AcceptedVersions) {
    return replyWithEtag(await this.tours.archive(caller, id, true, accepted));
  }

  @RestoreRoute()
  async restore(@Caller() caller: Principal, @Param('id', UuidPipe) id: string, @IfMatch() accepted: AcceptedVersions) {
    return replyWithEtag(await this.tours.archive(caller, id, false, accepted));
  }
}
