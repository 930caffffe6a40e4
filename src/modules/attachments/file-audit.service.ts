import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { FileStorage } from '../../platform/storage/file-storage.js';
import { MissingFileError } from '../../platform/storage/storage.errors.js';
import { blobKey, parseBlobKey } from './blob-keys.js';

/** Rows that are read, and objects that are looked up, at a time. */
const BATCH = 1_000;

/** What disagrees: `missing` is a row without bytes, `damaged` has other bytes than its row says, `unknown` has no row. */
export interface FileProblem {
  problem: 'missing' | 'damaged' | 'unknown';
  key: string;
  /** How many records show it. */
  attachments: number;
}

export interface FileAudit {
  /** Files whose bytes were read and hashed. */
  files: number;
  /** Their size together. */
  bytes: number;
  errors: FileProblem[];
}

interface Claim {
  workspaceId: string;
  sha256: string;
  size: number;
  attachments: number;
}

/** Holds files and rows against each other. Reads every byte, so it takes its time; it changes nothing. */
@Injectable()
export class FileAuditService {
  constructor(
    private readonly database: Database,
    private readonly storage: FileStorage,
    private readonly config: Config,
  ) {}

  /** @param workspaceId that one alone; all where it is not said. */
  async verify(workspaceId?: string): Promise<FileAudit> {
    const audit: FileAudit = { files: 0, bytes: 0, errors: [] };
    for await (const claim of this.claims(workspaceId)) await this.check(claim, audit);
    for await (const key of this.unknown(workspaceId)) audit.errors.push({ problem: 'unknown', key, attachments: 0 });
    return audit;
  }

  private async check({ workspaceId, sha256, size, attachments }: Claim, audit: FileAudit): Promise<void> {
    const key = blobKey(workspaceId, sha256);
    const hash = createHash('sha256');
    try {
      await pipeline(await this.storage.open(key), hash);
    } catch (error) {
      if (!(error instanceof MissingFileError)) throw error;
      audit.errors.push({ problem: 'missing', key, attachments });
      return;
    }
    audit.files += 1;
    audit.bytes += size;
    if (hash.digest('hex') !== sha256) audit.errors.push({ problem: 'damaged', key, attachments });
  }

  /** What records claim. Bytes that none claims may be on their way in or out. */
  private async *claims(workspaceId?: string): AsyncGenerator<Claim> {
    let after: readonly [string, string] = ['00000000-0000-0000-0000-000000000000', ''];
    for (;;) {
      const found = await this.database.query<Claim>(
        `SELECT b.workspace_id AS "workspaceId", b.sha256, b.size::float8 AS size, count(*)::int AS attachments
           FROM blobs b JOIN attachments a ON a.workspace_id = b.workspace_id AND a.sha256 = b.sha256
          WHERE (b.workspace_id, b.sha256) > ($1, $2) AND ($3::uuid IS NULL OR b.workspace_id = $3)
          GROUP BY b.workspace_id, b.sha256, b.size
          ORDER BY b.workspace_id, b.sha256 LIMIT ${BATCH}`,
        [...after, workspaceId ?? null],
      );
      yield* found;
      const last = found.at(-1);
      if (!last || found.length < BATCH) return;
      after = [last.workspaceId, last.sha256];
    }
  }

  /** What lies in the storage without a row, for longer than bytes have to be claimed. */
  private async *unknown(workspaceId?: string): AsyncGenerator<string> {
    const before = Date.now() - this.config.attachments.unclaimedAfterS * 1000;
    let batch: string[] = [];
    for await (const { key, modifiedAt } of this.storage.list(workspaceId && `${workspaceId}/`)) {
      if (modifiedAt.getTime() < before) batch.push(key);
      if (batch.length === BATCH) {
        yield* await this.withoutRow(batch);
        batch = [];
      }
    }
    yield* await this.withoutRow(batch);
  }

  private async withoutRow(keys: readonly string[]): Promise<string[]> {
    const places = keys.map((key) => ({ key, ...parseBlobKey(key) }));
    const rows = await this.database.query<{ place: string }>(
      `SELECT workspace_id || ' ' || sha256 AS place FROM blobs
        WHERE (workspace_id, sha256) IN (SELECT * FROM unnest($1::uuid[], $2::text[]))`,
      [places.map(({ workspaceId }) => workspaceId ?? null), places.map(({ sha256 }) => sha256 ?? null)],
    );
    const known = new Set(rows.map(({ place }) => place));
    return places.flatMap(({ key, workspaceId, sha256 }) => (known.has(`${workspaceId} ${sha256}`) ? [] : key));
  }
}
