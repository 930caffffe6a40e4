import { Transform, type TransformCallback } from 'node:stream';
import { parseStoredJson } from '../../../sql/src/stored-json.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { type NativeType, getNativeType } from '../catalog/column-types.js';

/** Characters that the text format of COPY escapes differently from JSON, or not at all (some control characters). */
const FOREIGN = /[^\t\n -\xff]|"|\\v/;
/** FOREIGN and the escaped backslash, which must not be matched as the start of another escape. */
const FOREIGN_OR_BACKSLASH = /[^\t\n -\xff]|"|\\[v\\]/g;

const NULL = '\\N';

/**
 * Converts rows in PostgreSQL's text format of COPY to lines of JSON. Both formats escape backslash, tab and line ends
 * in the same way, so most values are copied. Latin-1 leaves the bytes of UTF-8 characters unchanged.
 */
abstract class ConvertedLines extends Transform {
  /** The start of a line that is not complete. */
  private rest = '';

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const text = this.rest + chunk.toString('latin1');
    const end = text.lastIndexOf('\n');
    this.rest = text.slice(end + 1);
    if (end < 0) done();
    else done(null, Buffer.from(this.convert(escapeRows(text.slice(0, end))), 'latin1'));
  }

  /** @param rows with the escapes of JSON, without the last line end. */
  protected abstract convert(rows: string): string;
}

/** Converts rows to JSON objects, one per line. */
export class JsonLines extends ConvertedLines {
  private readonly before: string[];
  private readonly natives: (NativeType | 'json')[];

  /** @param fields the columns of the rows, in order. */
  constructor(fields: readonly CatalogColumn[]) {
    super();
    this.before = fields.map(({ key }, index) => `${index === 0 ? '{' : ','}"${key}":`);
    this.natives = fields.map(({ type, storedText, isJson }) => (storedText || isJson ? 'json' : getNativeType(type)));
  }

  protected override convert(rows: string): string {
    let objects = '';
    for (const row of rows.split('\n')) {
      const values = row.split('\t');
      for (let index = 0; index < values.length; index++)
        objects += this.before[index]! + toJson(values[index]!, this.natives[index]!);
      objects += '}\n';
    }
    return objects;
  }
}

function escapeRows(rows: string): string {
  return FOREIGN.test(rows) ? rows.replace(FOREIGN_OR_BACKSLASH, escape) : rows;
}

/** A value as JSON. @param written with the escapes of JSON. */
function toJson(written: string, native: NativeType | 'json'): string {
  if (written === NULL) return 'null';
  if (native === 'json') return written.includes('\\') ? (parseStoredJson(`"${written}"`) as string) : written;
  if (native === 'text') return `"${written}"`;
  if (native === 'number') return written;
  return written === 't' ? 'true' : 'false';
}

function escape(found: string): string {
  if (found === '\\\\') return found;
  if (found === '\\v') return '\\u000b';
  return found === '"' ? '\\"' : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Numbers of the differences. */
export interface DifferenceCounts {
  create: number;
  update: number;
  delete: number;
}

/** Converts differences between a file and a table (`copyDifferences`) to JSON objects, one per line. */
export class DifferenceLines extends ConvertedLines {
  readonly counts: DifferenceCounts = { create: 0, update: 0, delete: 0 };
  private readonly columns: { name: string; convert: (written: string) => string }[];

  constructor(columns: readonly CatalogColumn[]) {
    super();
    this.columns = columns
      .filter(({ primaryKey }) => !primaryKey)
      .map(({ key, type }) => {
        const native = getNativeType(type);
        return { name: `"${key}":{"from":`, convert: (written) => toJson(written, native) };
      });
  }

  protected override convert(rows: string): string {
    let lines = '';
    for (const row of rows.split('\n')) {
      const [change, key, ...values] = row.split('\t') as [keyof DifferenceCounts, string, ...string[]];
      this.counts[change]++;
      lines += `{"change":"${change}","key":"${key}","columns":{${this.toColumns(change, values)}}}\n`;
    }
    return lines;
  }

  private toColumns(change: keyof DifferenceCounts, values: readonly string[]): string {
    let changed = '';
    for (const [position, { name, convert }] of this.columns.entries()) {
      const from = values[2 * position]!;
      const to = change === 'delete' ? NULL : values[2 * position + 1]!;
      if (from !== to) changed += `${changed === '' ? '' : ','}${name}${convert(from)},"to":${convert(to)}}`;
    }
    return changed;
  }
}
