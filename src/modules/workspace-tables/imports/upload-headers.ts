import { findOtherCharset } from '../../../platform/body/charset.js';
import { displayName } from '../../../platform/body/upload.js';
import { UnsupportedMediaTypeError } from '../../../../packages/errors/src/domain-error.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import type { ImportFormatDto } from './dto/imports.dto.js';
import { type FileType, MEDIA_TYPES, type MediaType } from './import-file.js';
import { type FileFormat, findMappedColumns, parseFormat } from './import-options.js';

/** Headers of a request or of a part of a form. */
type Headers = Readonly<Partial<Record<'content-type' | 'content-encoding' | 'content-disposition', string>>>;

const FILE_NAME = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i;
const ENCODED_FILE_NAME = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i;

/** The file name of `Content-Disposition` (RFC 6266). */
export function readFileName(headers: Headers): string | undefined {
  const disposition = headers['content-disposition'] ?? '';
  const [, encoded] = ENCODED_FILE_NAME.exec(disposition) ?? [];
  const [, quoted, token] = FILE_NAME.exec(disposition) ?? [];
  const name = decode(encoded) ?? quoted?.replace(/\\(.)/g, '$1') ?? token;
  return name === undefined ? undefined : displayName(name);
}

function decode(encoded: string | undefined): string | undefined {
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** @throws {DomainError} for headers or parameters that are invalid, or that name columns that the table lacks. */
export function readFileType(
  headers: Headers,
  query: ImportFormatDto,
  table?: Pick<CatalogTable, 'columns'>,
): FileType {
  const format = parseFormat(query);
  if (table) findMappedColumns(format, table);
  return { mediaType: readMediaType(headers, format), isCompressed: readIsGzip(headers), format };
}

/** @throws {UnsupportedMediaTypeError} */
function readMediaType(headers: Headers, { charset: chosen }: FileFormat): MediaType {
  const sent = headers['content-type'] ?? '';
  const type = sent.split(';')[0]!.trim().toLowerCase();
  const charset = findOtherCharset(sent, chosen);
  const found = MEDIA_TYPES.find((mediaType) => mediaType === type);
  if (!found) {
    const actual = sent ? `is "${sent.slice(0, 100)}"` : 'is missing';
    throw new UnsupportedMediaTypeError(`The Content-Type ${actual}. Send ${MEDIA_TYPES.join(' or ')}.`);
  }
  if (charset !== undefined) {
    const problem = `The charset of ${found} is "${charset.slice(0, 100)}"`;
    throw new UnsupportedMediaTypeError(
      chosen === undefined
        ? `${problem}. Send UTF-8, or set the parameter "charset".`
        : `${problem}, but the parameter "charset" is "${chosen}". Send only one of them.`,
    );
  }
  return found;
}

/** @throws {UnsupportedMediaTypeError} */
export function readIsGzip(headers: Headers): boolean {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'gzip' || encoding === 'x-gzip') return true;
  if (encoding === 'identity') return false;
  throw new UnsupportedMediaTypeError(`The Content-Encoding is "${encoding.slice(0, 100)}". Send gzip or none.`);
}
