import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiFailures } from '../../platform/http/error.dto.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { CreateTagDto, ListTagsDto, TagDto, TagIdDto, TagPageDto } from './dto/tag.dto.js';
import { TagsService } from './tags.service.js';

const EXAMPLE = {
  tourId: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a',
  label: 'Feed pump 2',
  anchorPosition: { x: 1.25, y: 0.8, z: -3.5 },
};

@ApiTags('Tags')
@Controller('v1/api/tags')
export class TagsController {
  constructor(private readonly tags: TagsService) {}

  @Post()
  @RequireScope('write:tours')
  @ApiOperation({ summary: 'Mark a place in a tour' })
  @ApiBody({ type: CreateTagDto, examples: { first: { value: EXAMPLE } } })
  @Enveloped(TagDto, { status: 201, message: 'The tag was created' })
  @ApiFailures(400, 404, 413, 415)
  create(@Caller() caller: Principal, @Body() body: CreateTagDto) {
    return this.tags.create(caller, body);
  }

  @Get()
  @RequireScope('read:tours')
  @ApiOperation({ summary: "List the tags of the caller's workspaces" })
  @Enveloped(TagPageDto)
  @ApiFailures(400, 404)
  list(@Caller() caller: Principal, @Query() query: ListTagsDto) {
    return this.tags.list(caller, query);
  }

  @Get(':id')
  @RequireScope('read:tours')
  @ApiOperation({ summary: 'Get a tag' })
  @Enveloped(TagDto)
  @ApiFailures(400, 404)
  get(@Caller() caller: Principal, @Param() { id }: TagIdDto) {
    return this.tags.get(caller, id);
  }
}
