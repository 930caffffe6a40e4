import type { ColumnDefinition } from '../packages/tables/src/catalog/column-plan.js';

/**
 * The eight columns of the measured tables. In this order, their physical columns are `c1` to `c8`.
 */
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

/** The physical columns and their SQL types. */
export const PHYSICAL_COLUMNS = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8'] as const;
export const PHYSICAL_TYPES = ['text', 'text', 'text', 'text', 'text', 'float8', 'text', 'bool'] as const;

export interface SampleRow {
  equnr: string;
  name: string;
  description: string;
  manufacturer: string;
  location: string;
  weight: number;
  installed_on: string;
  active: boolean;
}

const KINDS = [
  'Feed pump',
  'Heat exchanger',
  'Control valve',
  'Electric motor',
  'Pressure transmitter',
  'Kühlwasserfilter',
];
const MAKERS = ['Andritz', 'Siemens', 'Endress+Hauser', 'Grundfos', 'Flowserve', 'Böhler', 'ABB'];

/** In the changed edition every tenth row differs. */
const CHANGE_EVERY = 10;

/** Number of rows that differ between the editions. */
export function countChanged(rows: number): number {
  return Math.ceil(rows / CHANGE_EVERY);
}

/** Rows in the order of their key, about 200 bytes each as JSON. */
export function sampleRows(from: number, count: number, edition: 'first' | 'changed' = 'first'): SampleRow[] {
  return Array.from({ length: count }, (_, position) => {
    const changed = edition === 'changed' && position % CHANGE_EVERY === 0;
    return sampleRow(from + position, changed);
  });
}

/** Rows that are serialized at once. */
const PART_ROWS = 50_000;

/** Serializes `count` rows in parts. */
export function sampleParts(count: number, serialize: (rows: readonly SampleRow[]) => Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(count / PART_ROWS) }, (_, part) =>
    serialize(sampleRows(part * PART_ROWS, Math.min(PART_ROWS, count - part * PART_ROWS))),
  );
}

/** The key of the row with this number. */
export function toKey(number: number): string {
  return String(10_000_000 + number).padStart(18, '0');
}

function sampleRow(number: number, changed: boolean): SampleRow {
  const kind = KINDS[number % KINDS.length]!;
  return {
    equnr: toKey(number),
    name: `${kind} ${number}`,
    description: `${kind}, line ${number % 40}, spare part list ${number * 7}`,
    manufacturer: MAKERS[number % MAKERS.length]!,
    location: `B${(number % 12) + (changed ? 1 : 0)}.${number % 90}.${number % 400}`,
    weight: (number % 5_000) / 4 + (changed ? 1 : 0),
    installed_on: `20${10 + (number % 15)}-0${1 + (number % 9)}-1${number % 10}`,
    active: number % 5 !== 0,
  };
}
