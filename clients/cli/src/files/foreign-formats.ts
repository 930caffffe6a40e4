import { UsageError } from '../exit-codes.js';

const SAVE = 'Save it as .xlsx or CSV.';

/** Beginnings of files that are not tables, or not in a format that is read. */
const BINARY: [signature: number[], message: string][] = [
  [[0xd0, 0xcf, 0x11, 0xe0], `is an old Excel file (.xls), or a workbook with a password. ${SAVE}`],
  [[0x25, 0x50, 0x44, 0x46], 'is a PDF. Export the table as CSV.'],
  [[0x37, 0x7a, 0xbc, 0xaf], 'is a 7z archive. Unpack it.'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'is compressed with zstd. Decompress it, or use gzip.'],
  [[0x42, 0x5a, 0x68], 'is compressed with bzip2. Decompress it, or use gzip.'],
];

const TEXT: [pattern: RegExp, message: string][] = [
  [/urn:schemas-microsoft-com:office:spreadsheet/, `is an XML file of Excel 2003. ${SAVE}`],
  [/<office:document/, `is an OpenDocument file. ${SAVE}`],
  [/^\s*<(?:!doctype\s+html|html|head|meta|body|table|style)\b/i, `is HTML, whatever its name says. ${SAVE}`],
  [/^\s*<\?xml/, 'is an XML file. Export the table as CSV.'],
];

/** Parts of ZIP archives, by their names in the table of contents at the end. */
const ARCHIVES: [part: string, message: string][] = [
  ['xl/workbook.bin', `is a binary workbook (.xlsb). ${SAVE}`],
  ['application/vnd.oasis.opendocument', `is an OpenDocument file. ${SAVE}`],
  ['', 'is a ZIP archive. Unpack it.'],
];

const isAt = (bytes: Uint8Array, signature: number[]): boolean =>
  signature.every((byte, position) => bytes[position] === byte);

export const isGzip = (bytes: Uint8Array): boolean => isAt(bytes, [0x1f, 0x8b]);
export const isZip = (bytes: Uint8Array): boolean => isAt(bytes, [0x50, 0x4b, 0x03, 0x04]);

/**
 * Rejects a file in a format that is not read, with its name.
 *
 * @param start the first bytes
 * @param end the last bytes, with the table of contents of a ZIP archive
 * @throws {UsageError}
 */
export function rejectForeignFormat(name: string, start: Buffer, end: Buffer): void {
  const text = start
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .replaceAll('\0', '');
  const found = isZip(start)
    ? end.includes('xl/workbook.xml')
      ? undefined
      : ARCHIVES.find(([part]) => start.includes(part) || end.includes(part))
    : (BINARY.find(([signature]) => isAt(start, signature)) ?? TEXT.find(([pattern]) => pattern.test(text)));
  if (found) throw new UsageError(`${name} ${found[1]} Nothing was stored.`);
}
