import type { ColumnDefinition } from '../packages/tables/src/catalog/column-plan.js';

/** The eight columns of the measured tables. In this order, their physical columns are `c1` to `c8`. */
export const COLUMNS = [
  { key: 'equnr', name: 'Equipment', type: 'text', primaryKey: true },
  { key: 'name', name: 'Name', type: 'text' },
  { key: 'description', name: 'Description', type: 'text' },
  { key: 'manufacturer', name: 'Manufacturer', type: 'text' },
  { key: 'location', name: 'Location', type: 'text' },
  { key: 'weight', name: 'Weight in kg', type: 'number' },
  { key: 'installed_on', name: 'Installed on', type: 'date' },
  { key: 'active', name: 'Active', type: 'checkbox' },
] as const satisfies readonly ColumnDefinition[];
export const PHYSICAL_COLUMNS = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8'] as const;
export const PHYSICAL_TYPES = ['text', 'text', 'text', 'text', 'text', 'float8', 'text', 'bool'] as const;

export type SampleRow = Record<(typeof COLUMNS)[number]['key'], string | number | boolean>;
/** One of so many rows differs in the changed edition. */
export const CHANGE_EVERY = 10;

const KINDS = 'Feed pump,Heat exchanger,Control valve,Electric motor,Pressure transmitter,Kühlwasserfilter'.split(',');
const MAKERS = 'Andritz,Siemens,Endress+Hauser,Grundfos,Flowserve,Böhler,ABB'.split(',');
/** Rows that are serialized at once. */
const PART_ROWS = 50_000;

export const NDJSON = 'application/x-ndjson';
export const CSV_HEADER = Buffer.from(`${COLUMNS.map(({ key }) => key).join(',')}\r\n`);

/** Rows in the order of their key, about 200 bytes each as JSON. */
export function sampleRows(from: number, count: number, edition: 'first' | 'changed' = 'first'): SampleRow[] {
  return Array.from({ length: count }, (_, position) => {
    const number = from + position;
    const change = edition === 'changed' && position % CHANGE_EVERY === 0 ? 1 : 0;
    const kind = KINDS[number % KINDS.length]!;
    return {
      equnr: toKey(number),
      name: `${kind} ${number}`,
      description: `${kind}, line ${number % 40}, spare part list ${number * 7}`,
      manufacturer: MAKERS[number % MAKERS.length]!,
      location: `B${(number % 12) + change}.${number % 90}.${number % 400}`,
      weight: (number % 5_000) / 4 + change,
      installed_on: `20${10 + (number % 15)}-0${1 + (number % 9)}-1${number % 10}`,
      active: number % 5 !== 0,
    };
  });
}

/** The key of the row with this number. */
export function toKey(number: number): string {
  return String(10_000_000 + number).padStart(18, '0');
}

/** Serializes `count` rows in parts. */
export function sampleFile(count: number, serialize: (rows: readonly SampleRow[]) => Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(count / PART_ROWS) }, (_, part) =>
    serialize(sampleRows(part * PART_ROWS, Math.min(PART_ROWS, count - part * PART_ROWS))),
  );
}

export function toNdjson(rows: readonly object[]): Buffer {
  return Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

/** Only descriptions contain a comma, and no value a quotation mark. */
export function toCsv(rows: readonly SampleRow[]): Buffer {
  const toLine = (row: SampleRow) => Object.values({ ...row, description: `"${row.description}"` }).join(',');
  return Buffer.from(rows.map((row) => `${toLine(row)}\r\n`).join(''));
}

/** Counts without parsing, because the client shares the machine with the service. */
export function count(content: Buffer, text: string): number {
  let found = 0;
  for (let at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + text.length)) found++;
  return found;
}
