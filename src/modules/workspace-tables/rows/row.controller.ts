import { Body, Controller, Delete, Get, Headers, Param, Patch, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AcceptedVersions, IfMatch } from '../../../platform/http/conditional-requests.js';
import { ApiRowKey, ApiTableRef, TableRef } from '../catalog/table-ref.decorator.js';
import { ItemKeyDto } from './dto/row.dto.js';
import { DeletesRow, GetsPath, GetsRow, PatchesRow, PutsRow } from './row-routes.decorator.js';
import { RowWriterService } from './row-writer.service.js';
import { RowService } from './row.service.js';
import { writtenReply, tagOfRow } from './row-reply.js';

type Row = Record<string, unknown>;

/** Single rows of a table: by `items/{key}`, and by `item?key=` for keys that clients change in paths (SAP has `/` in some). */
@ApiTags('Workspace tables')
@ApiTableRef()
@Controller('v2/api/workspaces/:workspaceId/cw/:entity/:table')
export class RowController {
  constructor(
    private readonly item: RowService,
    private readonly writer: RowWriterService,
  ) {}

  @Get('items/:key')
  @GetsRow()
  @ApiRowKey()
  async get(@TableRef() ref: TableRef, @Param('key') key: string) {
    return tagOfRow(await this.item.get(ref, key));
  }

  @Get('item')
  @GetsRow()
  async getByKey(@TableRef() ref: TableRef, @Query() { key }: ItemKeyDto) {
    return tagOfRow(await this.item.get(ref, key));
  }

  @Get('items/:key/path')
  @GetsPath()
  @ApiTableRef('locations')
  @ApiRowKey('AT10')
  path(@TableRef() ref: TableRef, @Param('key') key: string) {
    return this.item.path(ref, key);
  }

  @Put('items/:key')
  @PutsRow()
  @ApiRowKey()
  async put(
    @TableRef() ref: TableRef,
    @Param('key') key: string,
    @Body() row: Row,
    @IfMatch() accepted: AcceptedVersions,
    @Headers('If-None-Match') unless?: string,
  ) {
    return writtenReply(await this.writer.put(ref, key, row, { accepted, mustBeNew: unless === '*' }));
  }

  @Put('item')
  @PutsRow()
  async putByKey(
    @TableRef() ref: TableRef,
    @Query() { key }: ItemKeyDto,
    @Body() row: Row,
    @IfMatch() accepted: AcceptedVersions,
    @Headers('If-None-Match') unless?: string,
  ) {
    return writtenReply(await this.writer.put(ref, key, row, { accepted, mustBeNew: unless === '*' }));
  }

  @Patch('items/:key')
  @PatchesRow()
  @ApiRowKey()
  async patch(
    @TableRef() ref: TableRef,
    @Param('key') key: string,
    @Body() row: Row,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return tagOfRow(await this.writer.patch(ref, key, row, accepted));
  }

  @Patch('item')
  @PatchesRow()
  async patchByKey(
    @TableRef() ref: TableRef,
    @Query() { key }: ItemKeyDto,
    @Body() row: Row,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return tagOfRow(await this.writer.patch(ref, key, row, accepted));
  }

  @Delete('items/:key')
  @DeletesRow()
  @ApiRowKey()
  delete(@TableRef() ref: TableRef, @Param('key') key: string, @IfMatch() accepted: AcceptedVersions) {
    return this.writer.delete(ref, key, accepted);
  }

  @Delete('item')
  @DeletesRow()
  deleteByKey(@TableRef() ref: TableRef, @Query() { key }: ItemKeyDto, @IfMatch() accepted: AcceptedVersions) {
    return this.writer.delete(ref, key, accepted);
  }
}
