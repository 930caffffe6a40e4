import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import type * as z from 'zod';
import { parseStoredJson } from '../../../packages/sql/src/stored-json.js';
import { type Member, readExportFile, readWhole } from './export-file.js';
import { FORMAT, HEADER, headerSchema, LineDigest, MANIFEST, type Manifest, manifestSchema } from './manifest.js';
import { DamagedExportError, ExportTooNewError } from './transfers.errors.js';

/** What the members of an export contain. */
interface Content {
  tables: Map<string, LineDigest>;
  files: { count: number; bytes: number };
}

/**
 * Reads a whole export, and compares it with its manifest.
 *
 * @throws {DamagedExportError | ExportTooNewError}
 */
export async function checkExport(path: string): Promise<Manifest> {
  const content: Content = { tables: new Map(), files: { count: 0, bytes: 0 } };
  let position = 0;
  let manifest: Manifest | undefined;
  for await (const member of readExportFile(path)) {
    if (manifest) throw new DamagedExportError(`${member.name} follows ${MANIFEST}`);
    if (position++ === 0) await checkHeader(member);
    else if (member.name === MANIFEST) manifest = await parse(member, manifestSchema);
    else await add(content, member);
  }
  if (!manifest) throw new DamagedExportError(`${MANIFEST} is missing`);
  compare(manifest, content);
  return manifest;
}

/** The table whose rows a member contains; undefined for other members. */
export function findTable({ name }: Member): string | undefined {
  return /^rows\/([a-z0-9_]+)\.\d+\.ndjson$/.exec(name)?.[1];
}

/** The SHA-256 of the file that a member contains; undefined for other members. */
export function findFile({ name }: Member): string | undefined {
  return /^files\/([0-9a-f]{64})$/.exec(name)?.[1];
}

async function checkHeader(member: Member): Promise<void> {
  if (member.name !== HEADER) throw new DamagedExportError(`${HEADER} is missing`);
  const { format } = await parse(member, headerSchema);
  if (format > FORMAT) throw new ExportTooNewError(`The format ${format} of the export`);
}

async function add({ tables, files }: Content, member: Member): Promise<void> {
  const table = findTable(member);
  const sha256 = findFile(member);
  if (table !== undefined) {
    const digest = tables.get(table) ?? new LineDigest();
    tables.set(table, digest);
    digest.add(await readWhole(member));
  } else if (sha256 !== undefined) {
    const hash = createHash('sha256');
    await pipeline(member.content, hash);
    if (hash.digest('hex') !== sha256) throw new DamagedExportError(`${member.name} has other bytes`);
    files.count += 1;
    files.bytes += member.size;
  } else throw new DamagedExportError(`it contains ${member.name}`);
}

function compare(manifest: Manifest, { tables, files }: Content): void {
  for (const { name, rows, bytes, sha256 } of manifest.tables) {
    const found = (tables.get(name) ?? new LineDigest()).finish();
    if (found.rows !== rows || found.bytes !== bytes || found.sha256 !== sha256)
      throw new DamagedExportError(`the rows of ${name} are not those of ${MANIFEST}`);
    tables.delete(name);
  }
  const [unknown] = tables.keys();
  if (unknown !== undefined) throw new DamagedExportError(`${MANIFEST} does not contain ${unknown}`);
  if (files.count !== manifest.files.count || files.bytes !== manifest.files.bytes)
    throw new DamagedExportError(`its files are not those of ${MANIFEST}`);
}

async function parse<Schema extends z.ZodType>(member: Member, schema: Schema): Promise<z.infer<Schema>> {
  const text = (await readWhole(member)).toString();
  try {
    return schema.parse(parseStoredJson(text));
  } catch (error) {
    throw new DamagedExportError(`${member.name} is invalid`, error);
  }
}
