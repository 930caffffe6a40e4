import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { MissingFileError } from '../../platform/storage/storage.errors.js';
import { type WorkspaceFile, WorkspaceFilesService } from '../attachments/workspace-files.service.js';
import { AuditService } from '../audit/audit.service.js';
import { StoredTablesService } from '../workspace-tables/admin/stored-tables.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { ExportFileWriter } from './export-file.js';
import { type ExportedTable, FORMAT, HEADER, LineDigest, MANIFEST, type Manifest } from './manifest.js';
import { ExportedFileMissingError } from './transfers.errors.js';
import { type RowSource, TransfersRepository } from './transfers.repository.js';

export type { Manifest };

/** Bytes of a member with rows, unless one row is longer. So much is in memory. */
const MEMBER_BYTES = 1024 * 1024;

/** Writes a workspace into one file, with which `WorkspaceImportService` creates it in another service. */
@Injectable()
export class WorkspaceExportService {
  constructor(
    private readonly database: Database,
    private readonly repository: TransfersRepository,
    private readonly workspaces: WorkspacesService,
    private readonly tables: StoredTablesService,
    private readonly files: WorkspaceFilesService,
    private readonly audit: AuditService,
  ) {}

  /**
   * All rows are those of one moment. The file is complete, or absent.
   *
   * @throws {NotFoundError | FileExistsError | ExportedFileMissingError}
   */
  async export(workspaceId: string, path: string): Promise<Manifest> {
    const { id, name, slug } = await this.workspaces.get(workspaceId);
    const file = new ExportFileWriter(path);
    try {
      await file.add(HEADER, toJson({ format: FORMAT }));
      const { files, ...rows } = await this.database.snapshot(() => this.writeRows(file, id));
      const workspace = { id, name, slug };
      const written = { count: files.length, bytes: await this.writeFiles(file, id, files) };
      const manifest: Manifest = { format: FORMAT, workspace, files: written, ...rows };
      await file.add(MANIFEST, toJson(manifest));
      await file.finish();
      await this.audit.record({ kind: 'workspace_exported', workspaceId });
      return manifest;
    } catch (error) {
      await file.discard();
      throw error;
    }
  }

  private async writeRows(file: ExportFileWriter, workspaceId: string) {
    await this.repository.removeTimeouts();
    const schema = await this.repository.getSchemaVersion();
    const exportedAt = new Date().toISOString();
    const tables: ExportedTable[] = [];
    for (const table of (await this.repository.listTables()).filter(({ isOmitted }) => !isOmitted)) {
      const { name, omit = [] } = table;
      const columns = (await this.repository.listColumns(name)).filter((column) => !omit.includes(column));
      tables.push(await this.writeTable(file, workspaceId, { name, columns, table }));
    }
    for (const table of await this.tables.list(workspaceId))
      tables.push(await this.writeTable(file, workspaceId, table));
    const webhookSecrets = tables.find(({ name }) => name === 'subscriptions')!.rows;
    const notExported = { apiKeys: await this.repository.count(workspaceId, 'api_keys'), webhookSecrets };
    return { schema, exportedAt, tables, notExported, files: await this.files.list(workspaceId) };
  }

  private async writeTable(file: ExportFileWriter, workspaceId: string, source: RowSource): Promise<ExportedTable> {
    const name = toMemberName(source.name);
    const digest = new LineDigest();
    let number = 0;
    for await (const lines of splitLines(this.repository.copyRows(workspaceId, source))) {
      digest.add(lines);
      await file.add(`rows/${name}.${String(++number).padStart(6, '0')}.ndjson`, lines);
    }
    return { name, columns: [...source.columns], ...digest.finish() };
  }

  /** @returns the bytes of all files. */
  private async writeFiles(
    file: ExportFileWriter,
    workspaceId: string,
    files: readonly WorkspaceFile[],
  ): Promise<number> {
    let bytes = 0;
    for (const { sha256, size } of files) {
      const toMissing = (error: unknown) => {
        const isOther = error instanceof Error && 'code' in error && !(error instanceof MissingFileError);
        throw isOther ? error : new ExportedFileMissingError(sha256, error);
      };
      const content = await this.files.open(workspaceId, sha256).catch(toMissing);
      const written = await file.addStream(`files/${sha256}`, size, content).catch(toMissing);
      if (written !== sha256) throw new ExportedFileMissingError(sha256);
      bytes += size;
    }
    return bytes;
  }
}

/** A physical table is named without its schema. */
export function toMemberName(table: string): string {
  return table.slice(table.indexOf('.') + 1);
}

function toJson(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

/** Whole lines, about as many as a member has. */
async function* splitLines(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < MEMBER_BYTES || !chunk.includes('\n')) continue;
    const all = Buffer.concat(chunks);
    const end = all.lastIndexOf('\n') + 1;
    yield all.subarray(0, end);
    chunks = [all.subarray(end)];
    bytes = all.length - end;
  }
  if (bytes > 0) yield Buffer.concat(chunks);
}
