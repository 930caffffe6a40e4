import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { IncompleteBodyError } from '../../../platform/body/body.errors.js';
import { renewCaller } from '../../../platform/security/caller-policies.js';
import { BodyReceiver } from '../../../platform/body/body-receiver.js';
import { Config } from '../../../platform/config/config.js';
import { ExpensiveReads } from '../../../platform/http/expensive-reads.js';
import { onResponseEnd } from '../../../platform/http/handler-hooks.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import { callerView } from '../catalog/caller-view.js';
import { MergeEngine } from '../../../../packages/tables/src/writer/merge-engine.js';
import type { StagingRowSource } from '../../../../packages/tables/src/sources/staging-row-source.js';
import { DifferenceLines } from '../../../../packages/tables/src/reader/json-lines.js';
import type { CompareQueryDto } from './dto/imports.dto.js';
import { ErrorLog, readRejections, type RejectedFile } from './error-log.js';
import { ImportFile } from './import-file.js';
import { parseScope } from './replacement-parser.js';
import { ImportSlots } from './import-slots.js';
import { readFileType } from './upload-headers.js';
import { listenOnce } from '../../../platform/listeners.js';

/** What was found before the first difference is read. */
interface Comparison {
  source: StagingRowSource;
  rejected: RejectedFile;
  lines: DifferenceLines;
}

/**
 * Compares files with tables: what would an import with `mode=replace` change? Nothing is written, and nothing is
 * locked.
 */
@Injectable()
export class CompareService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly engine: MergeEngine,
    private readonly bodies: BodyReceiver,
    private readonly slots: ImportSlots,
    private readonly errorLog: ErrorLog,
    private readonly reads: ExpensiveReads,
    private readonly config: Config,
  ) {}

  /** The used share of what comparisons and imports share, from 0 to 1. */
  get occupancy(): number {
    return this.slots.occupancy;
  }

  /**
   * Receives the file of the request, and compares it with one snapshot of the table.
   *
   * @returns lines of JSON: the errors, the differences in the order of their keys, and a summary.
   * @throws {DomainError} before the first line.
   */
  async compare(response: Response, ref: TableRef, query: CompareQueryDto): Promise<Readable> {
    const request: Request = response.req;
    const table = await this.catalog.get(ref);
    const type = readFileType(request.headers, query, table);
    // Rejects an invalid filter before the file is received.
    await parseScope(this.catalog, table, query);
    const slot = this.slots.acquire(request.principal!.userId);
    const ended = new AbortController();
    onResponseEnd(response, () => ended.abort(new IncompleteBodyError()));
    try {
      const { path } = await this.bodies.receive(
        request,
        response,
        this.config.imports.maxBytes,
        () => undefined,
        ended.signal,
        () => this.occupancy,
      );
      const file = new ImportFile({ path }, type, this.config);
      await slot.waitForTurn(ended.signal);
      await renewCaller();
      const current = { ...ref, view: callerView(ref.view.workspaceId) };
      const stream = await this.start(request, current, file, query, ended.signal);
      listenOnce(stream, 'close', () => slot.release());
      return stream;
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  private async start(
    request: Request,
    ref: TableRef,
    file: ImportFile,
    query: CompareQueryDto,
    signal: AbortSignal,
  ): Promise<Readable> {
    const prepare = async () => {
      const table = await this.catalog.get(ref);
      const selectScope = await parseScope(this.catalog, table, query);
      const { timeoutS } = this.config.imports;
      const stream = { timeoutS, open: () => file.open(table), reportProgress: () => signal.throwIfAborted() };
      const source = await this.engine.checkFile(table, stream, selectScope);
      const { path } = await request.temporaryFiles!.write(readRejections(source), () => undefined);
      const lines = new DifferenceLines(table.columns);
      const sql = await source.copyDifferences(table, selectScope?.(table));
      return {
        result: { source, rejected: { table, file, rejections: path, invalidRanges: source.invalidRanges }, lines },
        sql,
        through: lines,
      };
    };
    const copy = () => this.reads.copyOut(prepare, { readOnly: false });
    const { result, stream } = await this.catalog.readWithRetry(copy);
    const lines = Readable.from(this.read(result, stream), { objectMode: false });
    // Also if the caller disconnects before the first line: the differences occupy a connection.
    listenOnce(lines, 'close', () => stream.destroy());
    return lines;
  }

  private async *read({ source, rejected, lines }: Comparison, differences: Readable): AsyncGenerator<string | Buffer> {
    if (source.errors.total > 0)
      for await (const line of this.errorLog.readErrors(rejected)) yield `{"change":"error",${line.slice(1)}`;
    for await (const chunk of differences) yield chunk as Buffer;
    const { create, update } = lines.counts;
    const error = source.errors.rows;
    const unchanged = source.received - source.skipped - error - create - update;
    yield `${JSON.stringify({ summary: { ...lines.counts, unchanged, error } })}\n`;
  }
}
