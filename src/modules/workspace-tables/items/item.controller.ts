import { Body, Controller, Delete, Get, Headers, Param, Patch, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AcceptedVersions, IfMatch } from '../../../platform/http/preconditions.js';
import { ApiEntity, PathTable, type TablePath } from '../table-path.decorator.js';
import { ItemKeyDto } from './dto/item.dto.js';
import { DeletesRow, GetsRow, KeyInPath, PatchesRow, PutsRow } from './item-routes.decorator.js';
import { ItemWriterService } from './item-writer.service.js';
import { ItemService } from './item.service.js';
import { writtenReply, tagOfRow } from './item-reply.js';

type Row = Record<string, unknown>;

/** Single rows of a table: by `items/{key}`, and by `item?key=` for keys that clients change in paths (SAP has `/` in some). */
@ApiTags('Workspace tables')
@ApiEntity('assets')
@Controller('v2/api/workspaces/:workspaceId/cw/:entity/:table')
export class ItemController {
  constructor(
    private readonly item: ItemService,
    private readonly writer: ItemWriterService,
  ) {}

  @Get('items/:key')
  @GetsRow()
  @KeyInPath()
  async get(@PathTable() path: TablePath, @Param('key') key: string) {
    return tagOfRow(await this.item.get(path, key));
  }

  @Get('item')
  @GetsRow()
  async getByKey(@PathTable() path: TablePath, @Query() { key }: ItemKeyDto) {
    return tagOfRow(await this.item.get(path, key));
  }

  @Put('items/:key')
  @PutsRow()
  @KeyInPath()
  async put(
    @PathTable() path: TablePath,
    @Param('key') key: string,
    @Body() row: Row,
    @IfMatch() accepted: AcceptedVersions,
    @Headers('If-None-Match') unless?: string,
  ) {
    return writtenReply(await this.writer.put(path, key, row, { accepted, mustBeNew: unless === '*' }));
  }

  @Put('item')
  @PutsRow()
  async putByKey(
    @PathTable() path: TablePath,
    @Query() { key }: ItemKeyDto,
    @Body() row: Row,
    @IfMatch() accepted: AcceptedVersions,
    @Headers('If-None-Match') unless?: string,
  ) {
    return writtenReply(await this.writer.put(path, key, row, { accepted, mustBeNew: unless === '*' }));
  }

  @Patch('items/:key')
  @PatchesRow()
  @KeyInPath()
  async patch(
    @PathTable() path: TablePath,
    @Param('key') key: string,
    @Body() row: Row,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return tagOfRow(await this.writer.patch(path, key, row, accepted));
  }

  @Patch('item')
  @PatchesRow()
  async patchByKey(
    @PathTable() path: TablePath,
    @Query() { key }: ItemKeyDto,
    @Body() row: Row,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return tagOfRow(await this.writer.patch(path, key, row, accepted));
  }

  @Delete('items/:key')
  @DeletesRow()
  @KeyInPath()
  delete(@PathTable() path: TablePath, @Param('key') key: string, @IfMatch() accepted: AcceptedVersions) {
    return this.writer.delete(path, key, accepted);
  }

  @Delete('item')
  @DeletesRow()
  deleteByKey(@PathTable() path: TablePath, @Query() { key }: ItemKeyDto, @IfMatch() accepted: AcceptedVersions) {
    return this.writer.delete(path, key, accepted);
  }
}
