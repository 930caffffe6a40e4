import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { TableImportErrors } from './table-import-errors.entity.js';
import type { ImportKey } from './table-import.entity.js';

/**
 * The errors of imports. They are stored outside the transaction of the import, since it is rolled back if it fails.
 */
@Injectable()
export class ImportErrorsRepository {
  constructor(private readonly database: Database) {}

  async append({ workspaceId, id: importId }: ImportKey, position: number, content: Buffer): Promise<void> {
    const part = { workspaceId, importId, position, content };
    await this.database.outsideTransaction(() => this.database.repository(TableImportErrors).insert(part));
  }

  /** The parts in order, one at a time. */
  async *read({ workspaceId, id: importId }: ImportKey): AsyncGenerator<Buffer> {
    for (let position = 0; ; position++) {
      const part = await this.database
        .repository(TableImportErrors)
        .findOne({ where: { workspaceId, importId, position } });
      if (!part) return;
      yield part.content;
    }
  }
}
