import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { TABLE_ERRORS } from '../../../packages/tables/src/catalog/tables.errors.js';
import { DropTablesService } from '../workspace-tables/admin/drop-tables.service.js';
import type { DroppedTable, TableReferrer } from '../workspace-tables/admin/table-referrer.js';
import { RenameService } from '../workspace-tables/rows/rename.service.js';
import type { RenamedRow, RowReferrer } from '../workspace-tables/rows/row-referrer.js';
import { NoteRulesService } from './note-rules.service.js';
import { NotesRepository } from './notes.repository.js';

/**
 * Updates notes whose location, asset or value of a field is a row that is renamed. A table whose rows are values of a
 * field cannot be dropped: no value of the field would be valid.
 */
@Injectable()
export class NoteRowReferrer implements RowReferrer, TableReferrer, OnModuleInit {
  constructor(
    private readonly notes: NotesRepository,
    private readonly rules: NoteRulesService,
    private readonly renames: RenameService,
    private readonly drops: DropTablesService,
  ) {}

  onModuleInit(): void {
    this.renames.register(this);
    this.drops.register(this);
  }

  async updateReferences(row: RenamedRow): Promise<void> {
    await this.notes.renameRow('location', row);
    await this.notes.renameRow('asset', row);
    for (const { key, tableId } of (await this.rules.get(row.workspaceId)).fields)
      if (tableId === row.tableId) await this.notes.renameValue(key, row);
  }

  /** @throws {DomainError} `table_in_use` */
  async removeReferences({ workspaceId, tableId }: DroppedTable): Promise<void> {
    const fields = await this.rules.listFieldsOfTable(workspaceId, tableId);
    if (fields.length === 0) return;
    const keys = fields.map(({ key }) => `"${key}"`).join(', ');
    const message = `The values of the note field ${keys} are rows of the table. Change the field in note-fields first.`;
    throw new DomainError(TABLE_ERRORS.table_in_use, message);
  }
}
