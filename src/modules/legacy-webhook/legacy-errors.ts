import { kindOf } from './legacy-body.js';
import type { LegacyMapping } from './legacy-mapping.js';
import { fieldOf } from './legacy-records.js';
import type { LegacyFault } from './legacy-webhook.errors.js';

/** An array of a request: what was sent, and which record each item of the bulk call comes from. */
export interface SentArray {
  mapping: LegacyMapping;
  records: readonly unknown[];
  indexes: readonly number[];
}

/** As bulk tells it: positions are those of items, and columns those of the table. */
interface BulkFault {
  index?: number;
  key?: string;
  column?: string;
  code: string;
  message: string;
}

/** A fault that bulk found in a row, or in a column, as a fault of the record it came from. */
export function legacyFault(sent: SentArray, fault: BulkFault): LegacyFault {
  const { array } = sent.mapping;
  const { code, key, column, message } = fault;
  if (fault.index === undefined) return faultOfTable(sent.mapping, fault);
  const index = sent.indexes[fault.index]!;
  const record = sent.records[index];
  const field = column === undefined ? undefined : fieldOf(sent.mapping, column, record);
  const place = { array, index, ...(key === undefined ? {} : { key }), ...(field === undefined ? {} : { field }) };
  return { ...place, ...inTheirWords(sent.mapping, { code, column, message, field, record }) };
}

function faultOfTable(mapping: LegacyMapping, { column, code, message }: BulkFault): LegacyFault {
  if (code === 'invalid_primary_key') return otherPrimaryKey(mapping);
  const advice = code === 'column_type_conflict' ? ` ${ADVICE}` : '';
  return { array: mapping.array, ...(column === undefined ? {} : { column }), code, message: message + advice };
}

/** The table has the name that the webhook uses, and was made for something else. */
const ADVICE =
  'The webhook did not make this table for these records: give it another name, and the webhook makes one of its own, or send its rows by the bulk call.';

/** The table's primary key is another column than the one that holds the external ID. */
export function otherPrimaryKey({ array, table, fields }: LegacyMapping): LegacyFault {
  const { key } = fields[0];
  const message = `The table that stands for "${table}" has another primary key than "${key}". ${ADVICE}`;
  return { array, column: key, code: 'invalid_primary_key', message };
}

interface RowFault {
  code: string;
  column: string | undefined;
  message: string;
  field: string | undefined;
  record: unknown;
}

/** Bulk speaks of rows and columns; whoever calls the webhook has sent records and fields. */
function inTheirWords(mapping: LegacyMapping, fault: RowFault): { code: string; message: string } {
  const { code, column, message, field, record } = fault;
  if (code === 'required_key') {
    const id = mapping.fields[0].field;
    const missing = mapping.otherId === undefined ? `${id} is` : `${id} and ${mapping.otherId} are`;
    return { code, message: `The record has no external ID: ${missing} missing or empty.` };
  }
  if (code === 'required') {
    const needs = `The table requires the column "${column}"`;
    return field === undefined
      ? { code, message: `${needs}, which the webhook does not fill: send this record by the bulk call.` }
      : { code, message: `${needs}: ${field} is missing or empty.` };
  }
  if (code === 'ambiguous_column')
    return { code: 'ambiguous_field', message: `The record has ${field ?? column} twice, in different letter case.` };
  if (code === 'type_mismatch' && column === undefined)
    return { code, message: `A record is an object of fields and values; this is ${kindOf(record)}.` };
  return { code, message };
}
