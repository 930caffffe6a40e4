import type { LegacyMapping } from './legacy-mapping.js';

/** Names of fields whose meaning is looked up once. */
const MAX_REMEMBERED_NAMES = 10_000;

/** Fields and keys that a report names, of each kind; what goes beyond is counted. */
const MAX_LISTED = 20;

/** A value of a record as the caller has it. */
type LegacyRecord = Record<string, unknown>;

/** What a field's name means: a column, or nothing. */
interface Meaning {
  /** Key of the column. */
  key?: string;
  /** Values under a name that means nothing. */
  leftOut: number;
}

/** A key that several records have. */
export interface Duplicate {
  key: string;
  /** How many records have it. */
  records: number;
  /** Position of the record that counts: the last one. */
  kept: number;
}

/** Records as rows: the items of a bulk call, and what was made of the records on the way. */
export interface LegacyRows {
  items: unknown[];
  /** Position of each item's record in the caller's array. */
  indexes: number[];
  duplicates: { total: number; first: Duplicate[] };
  fieldsNotMapped: { total: number; first: { field: string; records: number }[] };
}

/**
 * Turns records into items of a bulk call, in one pass: fields become columns in any letter case, what has no column is left
 * out and counted, and of records with one external ID the last one counts, whole. What is at fault goes on to bulk, which
 * names it.
 */
export class LegacyRecordReader {
  private readonly meanings = new Map<string, Meaning>();
  private readonly keyByField: Map<string, string>;
  private readonly keyColumn: string;
  private readonly otherIdColumn: string | undefined;
  private readonly items: unknown[] = [];
  private readonly indexes: number[] = [];
  private readonly placeById = new Map<string, number>();
  private readonly duplicates = new Map<string, Duplicate>();
  private collapsed = 0;
  private leftOut = 0;

  /** @param storedKey an external ID as tables keep and compare it; undefined where it cannot be one. */
  constructor(
    { fields, otherId }: LegacyMapping,
    private readonly storedKey: (value: unknown) => string | undefined,
  ) {
    this.keyByField = new Map(fields.map(({ field, key }) => [field.toLowerCase(), key]));
    this.keyColumn = fields[0].key;
    this.otherIdColumn = otherId === undefined ? undefined : this.keyByField.get(otherId.toLowerCase());
  }

  read(records: readonly unknown[]): LegacyRows {
    records.forEach((record, index) => {
      this.keep(isRecord(record) ? this.itemOf(record) : record, index);
    });
    const named = [...this.meanings].filter(([, { leftOut }]) => leftOut > 0).slice(0, MAX_LISTED);
    return {
      items: this.items,
      indexes: this.indexes,
      duplicates: { total: this.collapsed, first: [...this.duplicates.values()] },
      fieldsNotMapped: {
        total: this.leftOut,
        first: named.map(([field, { leftOut }]) => ({ field: field.slice(0, 255), records: leftOut })),
      },
    };
  }

  private itemOf(record: LegacyRecord): LegacyRecord {
    const item: LegacyRecord = {};
    for (const name in record) {
      const meaning = this.meanings.get(name) ?? this.meaningOf(name);
      const { key } = meaning;
      if (key === undefined) {
        meaning.leftOut++;
        this.leftOut++;
      } else if (item[key] === undefined) {
        item[key] = record[name];
      } else {
        // A second name for the same column, which bulk refuses as a guess.
        item[key.toUpperCase()] = record[name];
      }
    }
    if (this.otherIdColumn !== undefined && isBlank(item[this.keyColumn]) && !isBlank(item[this.otherIdColumn]))
      item[this.keyColumn] = item[this.otherIdColumn];
    return item;
  }

  private meaningOf(name: string): Meaning {
    const meaning = { key: this.keyByField.get(name.toLowerCase()), leftOut: 0 };
    // Of names that mean nothing a body may hold any number.
    if (this.meanings.size < MAX_REMEMBERED_NAMES) this.meanings.set(name, meaning);
    return meaning;
  }

  /** In place of an earlier record with the same external ID, where there is one. */
  private keep(item: unknown, index: number): void {
    const id = isRecord(item) ? this.storedKey(item[this.keyColumn]) : undefined;
    const place = id === undefined ? undefined : this.placeById.get(id);
    if (place !== undefined) {
      this.items[place] = item;
      this.indexes[place] = index;
      this.noteDuplicate(id!, index);
      return;
    }
    if (id !== undefined) this.placeById.set(id, this.items.length);
    this.items.push(item);
    this.indexes.push(index);
  }

  private noteDuplicate(key: string, kept: number): void {
    this.collapsed++;
    const known = this.duplicates.get(key);
    if (known) {
      known.records++;
      known.kept = kept;
    } else if (this.duplicates.size < MAX_LISTED) {
      this.duplicates.set(key, { key, records: 2, kept });
    }
  }
}

/** The field of a record that was meant to fill a column, as the caller writes it; as the interface does where it has none. */
export function fieldOf({ fields, otherId }: LegacyMapping, column: string, record: unknown): string | undefined {
  // Bulk names a column that it was not sure of as it was sent, which may be in capitals.
  const field = fields.find(({ key }) => key === column.toLowerCase())?.field;
  if (field === undefined) return undefined;
  const isId = field === fields[0].field;
  const written = writtenAs(record, field);
  if (isId && otherId !== undefined && isBlank(written?.value)) {
    const other = writtenAs(record, otherId);
    if (other && !isBlank(other.value)) return other.name;
  }
  return written?.name ?? field;
}

function writtenAs(record: unknown, field: string): { name: string; value: unknown } | undefined {
  if (!isRecord(record)) return undefined;
  const name = Object.keys(record).find((each) => each.toLowerCase() === field.toLowerCase());
  return name === undefined ? undefined : { name, value: record[name] };
}

function isRecord(value: unknown): value is LegacyRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}
