import { coerceKey } from '../../../packages/tabular/src/coercions.js';
import type { DuplicateDto, FieldsNotMappedDto } from './dto/legacy-report.dto.js';
import type { LegacyMapping } from './legacy-mapping.js';

/** Field names whose mapping is cached. A body may contain any number of unknown names. */
const MAX_CACHED_NAMES = 10_000;

/** Unmapped fields and duplicate keys that a report lists. The rest is only counted. */
const MAX_LISTED = 20;

type LegacyRecord = Record<string, unknown>;

/** The mapping of a field name. */
interface FieldMapping {
  /** Key of the column; undefined for an unmapped field. */
  key?: string;
  /** Number of values that were ignored because the field is unmapped. */
  ignored: number;
}

/** The items of a bulk request, and how they were converted from records. */
export interface LegacyRows {
  items: unknown[];
  /** Position of each item's record in the array of the request. */
  indexes: number[];
  duplicates: { total: number; first: DuplicateDto[] };
  fieldsNotMapped: FieldsNotMappedDto;
}

/**
 * Converts the records of one array to items of a bulk request, in one pass. Field names match columns in any letter
 * case; unmapped fields are ignored and counted. The last record with an external ID replaces all earlier ones. Invalid
 * records are passed on unchanged, because the bulk request validates them.
 */
export class LegacyRecordConverter {
  private readonly mappings = new Map<string, FieldMapping>();
  private readonly keyByField: Map<string, string>;
  private readonly keyColumn: string;
  private readonly otherIdColumn: string | undefined;
  private readonly items: unknown[] = [];
  private readonly indexes: number[] = [];
  private readonly positionById = new Map<string, number>();
  private readonly duplicates = new Map<string, DuplicateDto>();
  private collapsed = 0;
  private ignored = 0;

  constructor({ fields, otherId }: LegacyMapping) {
    this.keyByField = new Map(fields.map(({ field, key }) => [field.toLowerCase(), key]));
    this.keyColumn = fields[0].key;
    this.otherIdColumn = otherId === undefined ? undefined : this.keyByField.get(otherId.toLowerCase());
  }

  convert(records: readonly unknown[]): LegacyRows {
    for (const [index, record] of records.entries()) this.add(isRecord(record) ? this.toItem(record) : record, index);
    const unmapped = [...this.mappings].filter(([, { ignored }]) => ignored > 0).slice(0, MAX_LISTED);
    return {
      items: this.items,
      indexes: this.indexes,
      duplicates: { total: this.collapsed, first: [...this.duplicates.values()] },
      fieldsNotMapped: {
        total: this.ignored,
        first: unmapped.map(([field, { ignored }]) => ({ field: field.slice(0, 255), records: ignored })),
      },
    };
  }

  private toItem(record: LegacyRecord): LegacyRecord {
    const item: LegacyRecord = {};
    for (const name in record) {
      const mapping = this.mappings.get(name) ?? this.addMapping(name);
      const { key } = mapping;
      if (key === undefined) {
        mapping.ignored++;
        this.ignored++;
      } else if (!Object.hasOwn(item, key)) {
        item[key] = record[name];
      } else {
        // A second spelling of the same field. The bulk request rejects the column as ambiguous.
        item[key.toUpperCase()] = record[name];
      }
    }
    if (this.otherIdColumn !== undefined && isBlank(item[this.keyColumn]) && !isBlank(item[this.otherIdColumn]))
      item[this.keyColumn] = item[this.otherIdColumn];
    return item;
  }

  private addMapping(name: string): FieldMapping {
    const mapping = { key: this.keyByField.get(name.toLowerCase()), ignored: 0 };
    if (this.mappings.size < MAX_CACHED_NAMES) this.mappings.set(name, mapping);
    return mapping;
  }

  /** Adds the item, or replaces an earlier one with the same external ID. */
  private add(item: unknown, index: number): void {
    // As tables store and compare it; a value that cannot be a key is an error.
    const id = isRecord(item) ? coerceKey(item[this.keyColumn]) : undefined;
    if (typeof id === 'string') {
      const position = this.positionById.get(id);
      if (position !== undefined) {
        this.items[position] = item;
        this.indexes[position] = index;
        this.countDuplicate(id, index);
        return;
      }
      this.positionById.set(id, this.items.length);
    }
    this.items.push(item);
    this.indexes.push(index);
  }

  private countDuplicate(key: string, kept: number): void {
    this.collapsed++;
    const duplicate = this.duplicates.get(key);
    if (duplicate) {
      duplicate.records++;
      duplicate.kept = kept;
    } else if (this.duplicates.size < MAX_LISTED) {
      this.duplicates.set(key, { key, records: 2, kept });
    }
  }
}

/**
 * The field of a record that fills a column: as the record spells it, or as the specification does if the record does
 * not have the field. Undefined if the webhook does not fill the column.
 */
export function findFieldName({ fields, otherId }: LegacyMapping, column: string, record: unknown): string | undefined {
  // Errors about an ambiguous column contain its key as sent, which may be in upper case.
  const field = fields.find(({ key }) => key === column.toLowerCase())?.field;
  if (field === undefined) return undefined;
  const isId = field === fields[0].field;
  const sent = findSentField(record, field);
  if (isId && otherId !== undefined && isBlank(sent?.value)) {
    const other = findSentField(record, otherId);
    if (other && !isBlank(other.value)) return other.name;
  }
  return sent?.name ?? field;
}

function findSentField(record: unknown, field: string): { name: string; value: unknown } | undefined {
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
