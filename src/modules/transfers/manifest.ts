import { createHash } from 'node:crypto';
import * as z from 'zod';

/** Increases with each change that a former version of the service cannot import. */
export const FORMAT = 1;

/** The first member of an export: what decides whether the others can be read. */
export const HEADER = 'header.json';

/** The last member of an export. */
export const MANIFEST = 'manifest.json';

export const headerSchema = z.object({ format: z.int().positive() });

export const manifestSchema = z.object({
  format: z.literal(FORMAT),
  /** The newest migration of the service that has exported. */
  schema: z.string(),
  exportedAt: z.string(),
  workspace: z.object({ id: z.uuid().lowercase(), name: z.string(), slug: z.string() }),
  /** In the order of the members. Their rows are in `rows/{name}.{number}.ndjson`. */
  tables: z.array(
    z.object({
      name: z.string().regex(/^[a-z0-9_]+$/),
      columns: z.array(z.string()),
      rows: z.int(),
      bytes: z.int(),
      /** Of all lines together. */
      sha256: z.string(),
    }),
  ),
  /** The files of attachments, in `files/{SHA-256}`. */
  files: z.object({ count: z.int(), bytes: z.int() }),
  /** Numbers of secrets that an owner or the operator must create again. */
  notExported: z.object({ apiKeys: z.int(), webhookSecrets: z.int() }),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type ExportedTable = Manifest['tables'][number];

/** Rows as lines, and their checksum. */
export class LineDigest {
  private readonly hash = createHash('sha256');
  private rows = 0;
  private bytes = 0;

  add(lines: Buffer): void {
    this.hash.update(lines);
    this.bytes += lines.length;
    for (let at = lines.indexOf('\n'); at >= 0; at = lines.indexOf('\n', at + 1)) this.rows++;
  }

  finish(): Pick<ExportedTable, 'rows' | 'bytes' | 'sha256'> {
    return { rows: this.rows, bytes: this.bytes, sha256: this.hash.digest('hex') };
  }
}
