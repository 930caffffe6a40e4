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

/** ASCII as it is; all other bytes as some character. */
const toText = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);

/**
 * What a file is, and what to do, if its format is not read; undefined for a workbook and for texts.
 *
 * @param start the first bytes
 * @param end the last bytes, with the table of contents of a ZIP archive
 */
export function findForeignFormat(start: Uint8Array, end: Uint8Array): string | undefined {
  const first = toText(start);
  if (!isZip(start)) {
    const text = first.replace(/^\u00ef\u00bb\u00bf/, '').replaceAll('\0', '');
    return (BINARY.find(([signature]) => isAt(start, signature)) ?? TEXT.find(([pattern]) => pattern.test(text)))?.[1];
  }
  const last = toText(end);
  if (last.includes('xl/workbook.xml')) return undefined;
  return ARCHIVES.find(([part]) => first.includes(part) || last.includes(part))?.[1];
}
