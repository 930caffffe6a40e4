import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { WorkspaceFilesService } from '../attachments/workspace-files.service.js';
import { AuditService } from '../audit/audit.service.js';
import { SlugTakenError } from '../workspaces/workspaces.errors.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { checkExport, findFile, findTable } from './export-check.js';
import { readExportFile, readWhole } from './export-file.js';
import type { Manifest } from './manifest.js';
import { RowImport } from './row-import.js';
import { DamagedExportError, WorkspaceExistsError } from './transfers.errors.js';
import { TransfersRepository } from './transfers.repository.js';

/** Creates a workspace from a file of `WorkspaceExportService`, with all its IDs. */
@Injectable()
export class WorkspaceImportService {
  constructor(
    private readonly database: Database,
    private readonly repository: TransfersRepository,
    private readonly rows: RowImport,
    private readonly workspaces: WorkspacesService,
    private readonly files: WorkspaceFilesService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Checks the whole file, then stores everything or nothing.
   *
   * @param slug instead of that of the export.
   * @throws {DamagedExportError | ExportTooNewError | WorkspaceExistsError | SlugTakenError}
   * @throws {DomainError} `record_exists`
   */
  async import(path: string, slug?: string): Promise<Manifest> {
    const manifest = await checkExport(path);
    const { workspace } = manifest;
    await this.database.transaction(async () => {
      await this.repository.removeTimeouts();
      if (await this.workspaces.findWithDeleted(workspace.id)) throw new WorkspaceExistsError(workspace.id);
      const used = slug ?? workspace.slug;
      if (await this.workspaces.findBySlug(used)) throw new SlugTakenError(used);
      await this.store(path, manifest, slug);
    });
    return manifest;
  }

  /** Stores the rows and files, and records the import. If this fails, the files are removed. */
  private async store(path: string, manifest: Manifest, slug: string | undefined): Promise<void> {
    const { id } = manifest.workspace;
    const running = await this.rows.start(manifest, slug);
    // All rows precede the files: the row of the workspace excludes another import of it.
    let hasFiles = false;
    try {
      for await (const member of readExportFile(path)) {
        const table = findTable(member);
        const sha256 = findFile(member);
        if (table !== undefined) await this.rows.insert(running, table, await readWhole(member));
        else if (sha256 !== undefined) {
          if (!hasFiles && !(await this.workspaces.findWithDeleted(id)))
            throw new DamagedExportError(`${member.name} precedes the rows`);
          hasFiles = true;
          if (!(await this.files.store(id, sha256, member.content)))
            throw new DamagedExportError(`${member.name} has other bytes`);
        } else member.content.resume();
      }
      await this.rows.finish(running);
      await this.audit.record({ kind: 'workspace_imported', workspaceId: id });
    } catch (error) {
      // Before the rollback, after which the workspace may be imported again.
      if (hasFiles) await this.files.removeAll(id);
      throw error;
    }
  }
}
