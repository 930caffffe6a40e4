import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Request, Response } from 'express';
import { UnavailableError } from '../../../../packages/errors/src/domain-error.js';
import { uuid } from '../../../../packages/sql/src/uuid.js';
import { BodyReceiver } from '../../../platform/body/body-receiver.js';
import { onResponseEnd } from '../../../platform/http/handler-hooks.js';
import { Config } from '../../../platform/config/config.js';
import type { ImportQueryDto } from './dto/imports.dto.js';
import { ImportRecordsRepository } from './import-records.repository.js';
import { ImportRun } from './import-run.js';
import { ImportSlots } from './import-slots.js';
import { IMPORT_ERRORS, ImportIdTakenError } from './imports.errors.js';
import { PendingImport, pendingImports, type ReceivedTable } from './pending-import.js';
import type { ImportTable } from './table-import.entity.js';
import { readFileName } from './upload-headers.js';
import type { View } from '../../../../packages/tables/src/catalog/view.js';

/** An import whose body is not received yet. */
export interface AnnouncedImport {
  view: View;
  /** Null if the body has files for several tables. */
  table: ImportTable | null;
  query: ImportQueryDto;
  /** What changes the meaning of the body in addition to its bytes; a part of the digest of the request. */
  digest: string;
  /** Finds the file of each table in the received body. @param path of the temporary file with the body. */
  readTables: (path: string) => Promise<ReceivedTable[]>;
}

/**
 * Receives the bodies of imports into temporary files, and records the imports. Those that this instance receives or
 * executes may take hours, so they do not delay its stop: they fail as soon as it accepts no more requests, and another
 * instance accepts the same request again.
 */
@Injectable()
export class ImportReceiver implements OnModuleDestroy {
  private readonly logger = new Logger(ImportReceiver.name);
  private readonly runs = new Set<ImportRun>();
  private isStopping = false;

  constructor(
    private readonly records: ImportRecordsRepository,
    private readonly bodies: BodyReceiver,
    private readonly slots: ImportSlots,
    private readonly config: Config,
  ) {}

  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    await Promise.all([...this.runs].map((run) => run.abort(new UnavailableError(IMPORT_ERRORS.instance_stopping))));
  }

  /** Adds the import to `pendingImports`. @throws {DomainError} */
  async receive(request: Request, response: Response, announced: AnnouncedImport): Promise<void> {
    const slot = this.slots.acquire(request.principal!.userId);
    try {
      const run = await this.begin(request, announced);
      const tables = await this.receiveBody(request, response, run, announced);
      const pending = new PendingImport(run, tables, request.temporaryFiles!, slot);
      pendingImports.set(request, pending);
      onResponseEnd(response, () => {
        // If the deletion fails, the record is marked as failed after a minute.
        pending.discard().catch((error: unknown) => {
          this.logger.warn(`Failed to delete the record of an import: ${String(error)}`);
        });
      });
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  private async begin(
    request: Request,
    { view, table, query: { importId, ...options } }: AnnouncedImport,
  ): Promise<ImportRun> {
    const id = importId?.toLowerCase() ?? uuid();
    const mayRepeat = request.headers['idempotency-key'] !== undefined;
    const hasRecord = await this.records.begin(
      { view, id },
      {
        table,
        dryRun: options.dryRun === 'true',
        options: { ...options },
        fileName: readFileName(request.headers),
        userId: request.principal!.userId,
        mayRepeat,
      },
    );
    // With an Idempotency-Key it may be a repetition, whose response is found as soon as the hash of its file is known.
    if (!hasRecord && !mayRepeat) throw new ImportIdTakenError(id);
    return new ImportRun(this.records, { workspaceId: view.workspaceId, id }, hasRecord);
  }

  private async receiveBody(
    request: Request,
    response: Response,
    run: ImportRun,
    { digest, readTables }: AnnouncedImport,
  ): Promise<ReceivedTable[]> {
    const { maxBytes } = this.config.imports;
    try {
      if (this.isStopping) throw new UnavailableError(IMPORT_ERRORS.instance_stopping);
      this.runs.add(run);
      run.onStop(() => this.runs.delete(run));
      const onBytes = (bytes: number) => void (run.progress.bytes = bytes);
      const { path, sha256 } = await this.bodies.receive(
        request,
        response,
        maxBytes,
        onBytes,
        run.signal,
        () => this.slots.occupancy,
      );
      await run.setHash(sha256);
      if (request.headers['idempotency-key'] !== undefined) request.bodyDigest = `${digest} ${sha256}`;
      return await readTables(path);
    } catch (error) {
      await run.stop();
      await run.fail(error);
      throw error;
    }
  }
}
