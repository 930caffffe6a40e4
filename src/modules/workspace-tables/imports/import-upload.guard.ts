import { type CanActivate, type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { v7 as uuid } from 'uuid';
import { onResponseEnd } from '../../../platform/body/body-memory.js';
import { FileBodies } from '../../../platform/body/file-bodies.js';
import { Config } from '../../../platform/config/config.js';
import { validateDto } from '../../../platform/http/validation/validation.pipe.js';
import { type CatalogTable, CatalogRepository } from '../catalog/catalog.repository.js';
import { readTableRef } from '../catalog/table-ref.decorator.js';
import { ImportQueryDto } from './dto/imports.dto.js';
import { ImportFile, type MediaType } from './import-file.js';
import { type FileFormat, findMappedColumns, parseFormat } from './import-options.js';
import { ImportRecordsRepository } from './import-records.repository.js';
import { parseReplacement } from './import-scope.js';
import { ImportRun } from './import-run.js';
import { type ImportSlot, ImportSlots } from './import-slots.js';
import { ImportIdTakenError } from './imports.errors.js';
import { PendingImport, type ReceivedImport } from './pending-import.js';
import { RunningImports } from './running-imports.js';
import { readFileName, readIsGzip, readMediaType } from './upload-headers.js';

/**
 * Receives the file of an import into a temporary file. It is a guard because the idempotency interceptor, which runs before
 * the handler, needs the hash of the file. The body guard does not read the body of this route.
 */
@Injectable()
export class ImportUploadGuard implements CanActivate {
  private readonly logger = new Logger(ImportUploadGuard.name);

  constructor(
    private readonly catalog: CatalogRepository,
    private readonly records: ImportRecordsRepository,
    private readonly bodies: FileBodies,
    private readonly slots: ImportSlots,
    private readonly running: RunningImports,
    private readonly config: Config,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const query = validateDto(ImportQueryDto, { ...request.query });
    const table = await this.catalog.get(readTableRef(request));
    const format = parseFormat(query);
    findMappedColumns(format, table);
    const replacement = parseReplacement(table, query);
    const mediaType = readMediaType(request, format);
    const isCompressed = readIsGzip(request);
    const slot = this.slots.acquire();
    try {
      const { run, isTaken } = await this.begin(request, table, query);
      const file = await this.receive(request, response, { run, isTaken }, { mediaType, isCompressed, format });
      const writeTemporaryFile = async (chunks: AsyncIterable<Buffer>) =>
        (await request.temporaryFiles!.write(chunks, () => undefined)).path;
      this.setPending(request, response, { run, table, file, replacement, writeTemporaryFile, isTaken }, slot);
    } catch (error) {
      slot.release();
      throw error;
    }
    return true;
  }

  private async begin(
    request: Request,
    { workspaceId, id: tableId, entity, name }: CatalogTable,
    { importId, ...options }: ImportQueryDto,
  ): Promise<{ run: ImportRun; isTaken: boolean }> {
    const key = { workspaceId, id: importId?.toLowerCase() ?? uuid() };
    const { userId } = request.principal!;
    const mayRepeat = request.headers['idempotency-key'] !== undefined;
    const hasBegun = await this.records.begin(key, {
      table: { id: tableId, type: entity, name },
      dryRun: options.dryRun === 'true',
      options: { ...options },
      fileName: readFileName(request),
      userId,
      mayRepeat,
    });
    // With an Idempotency-Key it may be a repetition, whose response is found as soon as the hash of its file is known.
    if (!hasBegun && !mayRepeat) throw new ImportIdTakenError(key.id);
    const run = new ImportRun(this.records, key);
    if (hasBegun) run.start();
    return { run, isTaken: !hasBegun };
  }

  private async receive(
    request: Request,
    response: Response,
    { run, isTaken }: Pick<ReceivedImport, 'run' | 'isTaken'>,
    { mediaType, isCompressed, format }: { mediaType: MediaType; isCompressed: boolean; format: FileFormat },
  ): Promise<ImportFile> {
    const { maxBytes } = this.config.imports;
    try {
      this.running.add(run);
      const onBytes = (bytes: number) => void (run.progress.bytes = bytes);
      const { path, sha256 } = await this.bodies.receive(request, response, maxBytes, onBytes, run.signal);
      if (!isTaken) await this.records.setHash(run.key, sha256);
      if (request.headers['idempotency-key'] !== undefined)
        request.bodyDigest = `${mediaType} ${isCompressed} ${sha256}`;
      const limits = { maxBytes, maxRowBytes: this.config.tables.rowMaxBytes };
      return new ImportFile(path, mediaType, isCompressed, limits, format);
    } catch (error) {
      await run.stop();
      if (!isTaken) await this.records.fail(run.key, run.progress, error);
      throw error;
    }
  }

  private setPending(request: Request, response: Response, received: ReceivedImport, slot: ImportSlot): void {
    const { run, isTaken } = received;
    const pending = new PendingImport(received, slot, async (wasExecuted) => {
      slot.release();
      await run.stop();
      if (!wasExecuted && !isTaken) await this.records.delete(run.key);
    });
    request.pendingImport = pending;
    onResponseEnd(response, () => {
      // If the deletion fails, the record is marked as failed after a minute.
      pending.discard().catch((error: unknown) => {
        this.logger.warn(`Failed to delete the record of an import: ${String(error)}`);
      });
    });
  }
}
