import { Body, Controller, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AcceptedVersions, IfMatch } from '../../../platform/http/conditional-requests.js';
import { toEntityKind } from '../catalog/entity-kind.js';
import type { ColumnEdit } from './column-edit.js';
import { EditTableDto } from './dto/tables.dto.js';
import { TableDropsService } from './table-drops.service.js';
import { TableEditsService } from './table-edits.service.js';
import type { TableRef } from '../catalog/table-ref.decorator.js';
import { At, tagged, TableRoutes } from './tables.routes.js';

/** Tables and columns, as an administrator changes and drops them. */
@ApiTags('Workspace tables')
@Controller('v2/api/workspaces/:workspaceId/cw')
export class TableAdministrationController {
  constructor(
    private readonly edits: TableEditsService,
    private readonly drops: TableDropsService,
  ) {}

  @TableRoutes.Edits('locations', 'Edit a Locations table')
  editLocations(@At('location') place: TableRef, @IfMatch() accepted: AcceptedVersions, @Body() body: EditTableDto) {
    return this.edit(place, accepted, body);
  }

  @TableRoutes.Edits('assets', 'Edit an Assets table')
  editAssets(@At('asset') place: TableRef, @IfMatch() accepted: AcceptedVersions, @Body() body: EditTableDto) {
    return this.edit(place, accepted, body);
  }

  @TableRoutes.Edits('lists', 'Edit a Lists table')
  editLists(@At('list') place: TableRef, @IfMatch() accepted: AcceptedVersions, @Body() body: EditTableDto) {
    return this.edit(place, accepted, body);
  }

  @TableRoutes.Drops('locations', 'Drop a Locations table')
  dropLocations(@At('location') place: TableRef, @IfMatch() accepted: AcceptedVersions) {
    return this.drops.dropTable(place, accepted);
  }

  @TableRoutes.Drops('assets', 'Drop an Assets table')
  dropAssets(@At('asset') place: TableRef, @IfMatch() accepted: AcceptedVersions) {
    return this.drops.dropTable(place, accepted);
  }

  @TableRoutes.Drops('lists', 'Drop a Lists table')
  dropLists(@At('list') place: TableRef, @IfMatch() accepted: AcceptedVersions) {
    return this.drops.dropTable(place, accepted);
  }

  @TableRoutes.DropsColumn('locations', 'Drop a column of a Locations table')
  dropLocationsColumn(
    @At('location') place: TableRef,
    @Param('key') key: string,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return this.dropColumn(place, key, accepted);
  }

  @TableRoutes.DropsColumn('assets', 'Drop a column of an Assets table')
  dropAssetsColumn(@At('asset') place: TableRef, @Param('key') key: string, @IfMatch() accepted: AcceptedVersions) {
    return this.dropColumn(place, key, accepted);
  }

  @TableRoutes.DropsColumn('lists', 'Drop a column of a Lists table')
  dropListsColumn(@At('list') place: TableRef, @Param('key') key: string, @IfMatch() accepted: AcceptedVersions) {
    return this.dropColumn(place, key, accepted);
  }

  private async edit(place: TableRef, accepted: AcceptedVersions, { name, columns }: EditTableDto) {
    return tagged(await this.edits.edit(place, { name, columns: columns?.map(editOf) }, accepted));
  }

  private async dropColumn(place: TableRef, key: string, accepted: AcceptedVersions) {
    return tagged(await this.drops.dropColumn(place, key, accepted));
  }
}

/** Entities are named in the plural too, and kept in the singular. */
function editOf({ options, ...column }: NonNullable<EditTableDto['columns']>[number]): ColumnEdit {
  if (!options?.target) return { ...column, options: options as ColumnEdit['options'] };
  const { entity, table } = options.target;
  return { ...column, options: { ...options, target: { entity: toEntityKind(entity), table } } };
}
