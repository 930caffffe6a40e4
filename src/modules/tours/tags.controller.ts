import { Body, Controller, Param, Query } from '@nestjs/common';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import { type AcceptedVersions, IfMatch, replyWithEtag } from '../../platform/http/conditional-requests.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { BulkCreateQueryDto } from '../../records/bulk-create.dto.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { selectFields } from '../../records/field-selection.js';
import { defineRecordRoutes, replyToBulk, replyToUpsert } from '../../records/record-routes.decorator.js';
import { ChangeTagDto, CreateTagDto, ListTagsDto, TagDto, TagIdDto, TagPageDto, TagsBulkDto } from './dto/tag.dto.js';
import { TagsService } from './tags.service.js';
import { TABLE_ERRORS } from '../../../packages/tables/src/catalog/tables.errors.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';

const { CreateRoute, BulkCreateRoute, ListRoute, GetRoute, ChangeRoute, ArchiveRoute, RestoreRoute } =
  defineRecordRoutes({
    one: 'tag',
    many: 'tags',
    dto: TagDto,
    scopes: { read: 'read:tours', write: 'write:tours', archive: 'delete:tours' },
    roles: { read: 'reader', write: 'editor', archive: 'editor' },
  });
const EXAMPLE = {
  tourId: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a',
  label: 'Feed pump 2',
  anchorPosition: { x: 1.25, y: 0.8, z: -3.5 },
};
const CHANGE = { label: 'Feed pump 2, replaced', color: '#e4572e', keywords: ['pump', 'feed water'] };

@ApiGroup({
  name: 'Tags',
  description: 'A tag marks a point in a tour and can name a location or an asset. Its ID is a number.',
  guide: 'records',
})
@ApiErrors(TABLE_ERRORS.table_changed)
@ObeysPolicies()
@Controller('v1/api/tags')
export class TagsController {
  constructor(private readonly tags: TagsService) {}

  @CreateRoute(CreateTagDto, EXAMPLE)
  @ApiErrors(TABLE_ERRORS.unknown_row, TABLE_ERRORS.unknown_table)
  async create(@Caller() caller: Principal, @Body() body: CreateTagDto, @IfMatch() accepted: AcceptedVersions) {
    return replyToUpsert(await this.tags.create(caller, body, accepted), 'The tag');
  }

  @BulkCreateRoute(TagsBulkDto, EXAMPLE)
  async createAll(@Caller() caller: Principal, @Body() { items }: TagsBulkDto, @Query() query: BulkCreateQueryDto) {
    return replyToBulk(await this.tags.createAll(caller, items, query));
  }

  @ListRoute(TagPageDto)
  async list(@Caller() caller: Principal, @Query() query: ListTagsDto) {
    return selectFields(await this.tags.list(caller, query), query.fields);
  }

  @GetRoute()
  async get(@Caller() caller: Principal, @Param() { id }: TagIdDto) {
    return replyWithEtag(await this.tags.get(caller, id));
  }

  @ChangeRoute(ChangeTagDto, CHANGE)
  @ApiErrors(TABLE_ERRORS.unknown_row, TABLE_ERRORS.unknown_table)
  async change(
    @Caller() caller: Principal,
    @Param() { id }: TagIdDto,
    @Body() body: ChangeTagDto,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return replyWithEtag(await this.tags.change(caller, id, body, accepted));
  }

  @ArchiveRoute()
  async archive(@Caller() caller: Principal, @Param() { id }: TagIdDto, @IfMatch() accepted: AcceptedVersions) {
    return replyWithEtag(await this.tags.archive(caller, id, true, accepted));
  }

  @RestoreRoute()
  async restore(@Caller() caller: Principal, @Param() { id }: TagIdDto, @IfMatch() accepted: AcceptedVersions) {
    return replyWithEtag(await this.tags.archive(caller, id, false, accepted));
  }
}
