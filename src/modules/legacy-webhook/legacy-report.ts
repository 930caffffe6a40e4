import type { BulkService } from '../workspace-tables/bulk/bulk.service.js';
import type { LegacyRecordErrorDto } from './dto/legacy-record-error.dto.js';
import type { ArrayReportDto, LegacyCountsDto, LegacyReportDto } from './dto/legacy-report.dto.js';
import { describeType } from './legacy-body.js';
import type { LegacyMapping } from './legacy-mapping.js';
import { findFieldName, type LegacyRows } from './legacy-records.js';

type BulkReport = Awaited<ReturnType<BulkService['upsert']>>;

/** An array of a request and the items that its records were converted to. */
export interface ConvertedArray extends LegacyRows {
  mapping: LegacyMapping;
  records: readonly unknown[];
}

/** An error of a bulk request: positions are those of items, columns those of the table. */
interface BulkError {
  index?: number;
  key?: string;
  column?: string;
  code: string;
  message: string;
}

const ADVICE =
  'The webhook did not create this table: give it another name, and the webhook creates its own, or use the bulk request.';

/** Converts the report of a bulk request to arrays, records and fields of the webhook. */
export function toLegacyReport(
  arrays: readonly ConvertedArray[],
  unmapped: string[],
  { tables, errors, proposalId }: Pick<BulkReport, 'tables' | 'errors' | 'proposalId'>,
): LegacyReportDto {
  const reports = arrays.map((sent, position) => toArrayReport(sent, tables[position]!, errors));
  const totals: LegacyCountsDto = { received: 0, created: 0, updated: 0, unchanged: 0, failed: 0, collapsed: 0 };
  for (const report of reports)
    for (const count of Object.keys(totals) as (keyof LegacyCountsDto)[]) totals[count] += report[count];
  return { proposalId, totals, arrays: reports, unmapped };
}

function toArrayReport(
  sent: ConvertedArray,
  table: BulkReport['tables'][number],
  errors: BulkReport['errors'],
): ArrayReportDto {
  const { entity, table: name } = sent.mapping;
  const { created, updated, unchanged, failed } = table;
  return {
    array: sent.mapping.array,
    table: { id: table.id, type: table.type, name: table.name },
    tableCreated: table.tableCreated,
    columnsAdded: table.columnsAdded,
    revision: table.revision,
    received: sent.records.length,
    created,
    updated,
    unchanged,
    failed,
    collapsed: sent.duplicates.total,
    duplicates: sent.duplicates.first,
    fieldsNotMapped: sent.fieldsNotMapped,
    unresolved: {
      total: table.unresolved.total,
      first: table.unresolved.first.map(({ index: item, column, value }) => {
        const index = sent.indexes[item]!;
        return { index, field: findFieldName(sent.mapping, column, sent.records[index]) ?? column, value };
      }),
    },
    errors: errors
      .filter((error) => error.type === entity && error.table === name)
      .map((error) => toLegacyError(sent, error)),
  };
}

/** Converts an error of a row to an error of its record, and an error of a column to an error of its array. */
export function toLegacyError(sent: ConvertedArray, error: BulkError): LegacyRecordErrorDto {
  if (error.index === undefined) return toTableError(sent.mapping, error);
  const { key, column } = error;
  const index = sent.indexes[error.index]!;
  const record = sent.records[index];
  const field = column === undefined ? undefined : findFieldName(sent.mapping, column, record);
  return {
    array: sent.mapping.array,
    index,
    key,
    field,
    ...toRecordMessage(sent.mapping, error, field, record),
  };
}

function toTableError(mapping: LegacyMapping, { column, code, message }: BulkError): LegacyRecordErrorDto {
  // The table of another array, which has another primary key.
  if (code === 'invalid_primary_key' || code === 'duplicate_table') return createPrimaryKeyError(mapping);
  const advice = code === 'column_type_conflict' ? ` ${ADVICE}` : '';
  return { array: mapping.array, column, code, message: message + advice };
}

/** The primary key of the table is not the column of the external ID. */
export function createPrimaryKeyError({ array, table, fields }: LegacyMapping): LegacyRecordErrorDto {
  const { key } = fields[0];
  const message = `The primary key of the table "${table}" is not "${key}". ${ADVICE}`;
  return { array, column: key, code: 'invalid_primary_key', message };
}

/** Replaces rows and columns by records and fields in messages that mention them. */
function toRecordMessage(
  mapping: LegacyMapping,
  { code, column, message }: BulkError,
  field: string | undefined,
  record: unknown,
): { code: string; message: string } {
  if (code === 'required_key') {
    const id = mapping.fields[0].field;
    const missing = mapping.otherId === undefined ? `${id} is` : `${id} and ${mapping.otherId} are`;
    return { code, message: `The record has no external ID: ${missing} missing or empty.` };
  }
  if (code === 'required' && field === undefined) {
    const advice = 'which the webhook does not fill. Send this record in a bulk request.';
    return { code, message: `The table requires the column "${column}", ${advice}` };
  }
  if (code === 'required') return { code, message: `${field} is missing or empty. The table requires a value.` };
  if (code === 'ambiguous_column') {
    const message = `The record contains ${field ?? column} in several letter cases. Send each field once.`;
    return { code: 'ambiguous_field', message };
  }
  if (code === 'type_mismatch' && column === undefined)
    return { code, message: `A record must be an object of fields, not ${describeType(record)}.` };
  return { code, message };
}
