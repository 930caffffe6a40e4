import { Body, Controller, Delete, Get, Headers, Param, Patch, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AcceptedVersions, IfMatch } from '../../../platform/http/preconditions.js';
import { ApiEntity, PathTable, type TableRef } from '../catalog/table-ref.decorator.js';
import { ItemKeyDto } from './dto/row.dto.js';
import { DeletesRow, GetsRow, KeyInPath, PatchesRow, PutsRow } from './row-routes.decorator.js';
import { RowWriterService } from './row-writer.service.js';
import { RowService } from './row.service.js';
import { writtenReply, tagOfRow } from './row-reply.js';

type Row = Record<string, unknown>;

/** Single rows of a table: by `items/{key}`, and by `item?key=` for keys that clients change in paths (SAP has `/` in some). */
@ApiTags('Workspace tables')
@ApiEntity('assets')
@Controller('v2/api/workspaces/:workspaceId/cw/:entity/:table')
export class RowController {
  constructor(
    private readonly item: RowService,
    private readonly writer: RowWriterService,
  ) {}

  @Get('items/:key')
  @GetsRow()
  @KeyInPath()
  async get(@PathTable() path: TableRef, @Param('key') key: string) {
    return tagOfRow(await this.item.get(path, key));
  }

  @Get('item')
  @GetsRow()
  async getByKey(@PathTable() path: TableRef, @Query() { key }: ItemKeyDto) {
    return tagOfRow(await this.item.get(path, key));
  }

  @Put('items/:key')
  @PutsRow()
  @KeyInPath()
  async put(
    @PathTable() path: TableRef,
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
    @PathTable() path: TableRef,
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
    @PathTable() path: TableRef,
    @Param('key') key: string,
    @Body() row: Row,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return tagOfRow(await this.writer.patch(path, key, row, accepted));
  }

  @Patch('item')
  @PatchesRow()
  async patchByKey(
    @PathTable() path: TableRef,
    @Query() { key }: ItemKeyDto,
    @Body() row: Row,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return tagOfRow(await this.writer.patch(path, key, row, accepted));
  }

  @Delete('items/:key')
  @DeletesRow()
  @KeyInPath()
  delete(@PathTable() path: TableRef, @Param('key') key: string, @IfMatch() accepted: AcceptedVersions) {
    return this.writer.delete(path, key, accepted);
  }

  @Delete('item')
  @DeletesRow()
  deleteByKey(@PathTable() path: TableRef, @Query() { key }: ItemKeyDto, @IfMatch() accepted: AcceptedVersions) {
    return this.writer.delete(path, key, accepted);
  }
}
