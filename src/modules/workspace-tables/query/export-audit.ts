import { AsyncResource } from 'node:async_hooks';
import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { AuditLog } from '../../audit/audit-log.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import type { ExportFormat } from '../../../platform/http/stream-reply.js';
import { listenOnce } from '../../../platform/listeners.js';

/** Rows of a page that is the only one of a query, from which on the query is recorded like an export. */
const MIN_ONLY_PAGE_ROWS = 1_000;

/** The kind of pages by which rows are read. */
export type PageSurface = 'pages' | 'odata' | 'changes';

/** A page of a query. */
export interface ReadPage {
  /** Absent for the first page. */
  cursor: string | undefined;
  /** Number of rows. */
  length: number;
  hasMore: boolean;
}

type Record = (result: 'export_completed' | 'export_aborted', bytes: number) => Promise<void>;

/** Records exports in the audit log: one entry per minute, table, format and caller, with the sum of their bytes. */
@Injectable()
export class ExportAudit {
  private readonly logger = new Logger(ExportAudit.name);

  constructor(private readonly audit: AuditLog) {}

  /**
   * Passes the bytes on. The stream ends only after its entry is stored, so that no caller has a whole export without
   * an entry. If the caller disconnects before, the entry is stored afterwards.
   */
  recordEnd(
    rows: Readable,
    { workspaceId, id, entity, name }: CatalogTable,
    format: ExportFormat,
    via: 'export' | 'differences' = 'export',
  ): Readable {
    const record: Record = (kind, bytes) =>
      this.audit.recordFrequent(
        { kind, workspaceId, details: { table: { id, entity, name }, format, via } },
        `${id} ${format} ${via}`,
        { bytes },
      );
    // A stream calls back in the context of its connection, which another request may have opened.
    const recorded = new RecordedRows(AsyncResource.bind(record));
    listenOnce(recorded, 'close', () => {
      recorded.recordAbortion().catch((error: unknown) => {
        this.logger.error(error);
      });
    });
    // An error of the rows destroys both streams, which cuts the connection.
    pipeline(rows, recorded, () => undefined);
    return recorded;
  }

  /**
   * Records pages as an export if all rows of the query were read: when the last page is read, if it is not the first
   * one, or has a thousand rows. Smaller reads, as those of a user interface, are not recorded.
   */
  async recordPage(table: CatalogTable, { cursor, length, hasMore }: ReadPage, via: PageSurface): Promise<void> {
    if (hasMore || (cursor === undefined && length < MIN_ONLY_PAGE_ROWS)) return;
    const { workspaceId, id, entity, name } = table;
    const details = { table: { id, entity, name }, format: 'json', via };
    await this.audit.recordFrequent({ kind: 'export_completed', workspaceId, details }, `${id} json ${via}`, {});
  }
}

class RecordedRows extends Transform {
  private bytes = 0;
  private isEnding = false;

  constructor(private readonly record: Record) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length;
    done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    this.isEnding = true;
    this.record('export_completed', this.bytes).then(() => done(), done);
  }

  async recordAbortion(): Promise<void> {
    if (!this.isEnding) await this.record('export_aborted', this.bytes);
  }
}
