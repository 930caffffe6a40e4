import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { encodeArray } from '../catalog/pg-array.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { RowRule } from './column-edit.js';
import type { ColumnError } from '../catalog/column-plan.js';
import { MAX_INDEXED_TEXT_LENGTH } from '../catalog/column-types.js';
import { formatValue } from '../catalog/stored-value.js';
import { physicalColumnName, physicalTableName } from '../catalog/physical-table.js';

/** What one rule found. */
interface Breach {
  rows: number;
  /** A value that breaks the rule, where values do. */
  example: string | null;
}

/** Holds the rows that a table has against rules that they are to satisfy from now on. */
@Injectable()
export class RowRulesRepository {
  constructor(private readonly database: Database) {}

  /** A fault for each rule that a row breaks. The table is read once; the caller holds its lock. */
  async breaches(table: CatalogTable, rules: readonly RowRule[]): Promise<ColumnError[]> {
    if (rules.length === 0) return [];
    const parameters: Buffer[] = [];
    const counts = rules.map(({ column, rule, isNew }) => {
      const name = `t.${physicalColumnName(column)}`;
      if (rule === 'required') return count(isNew ? 'true' : `${name} IS NULL`);
      if (rule === 'length') return count(`char_length(${name}) > ${MAX_INDEXED_TEXT_LENGTH}`);
      parameters.push(encodeArray('text', column.options.choices!));
      return count(`${name} <> ALL ($${parameters.length}::text[])`, name);
    });
    const [found] = await this.database.query<{ breaches: Breach[] }>(
      `SELECT json_build_array(${counts.join(', ')}) AS breaches FROM ${physicalTableName(table)} t WHERE t._deleted_at IS NULL`,
      parameters,
    );
    return rules.flatMap((rule, at) => {
      const breach = found!.breaches[at]!;
      return breach.rows > 0 ? [faultOf(rule, breach)] : [];
    });
  }
}

function count(condition: string, example?: string): string {
  const value = example ? `min(${example}) FILTER (WHERE ${condition})` : 'NULL';
  return `json_build_object('rows', count(*) FILTER (WHERE ${condition}), 'example', ${value})`;
}

function faultOf({ column: { key: column }, rule }: RowRule, { rows, example }: Breach): ColumnError {
  const has = rows === 1 ? '1 row has' : `${rows} rows have`;
  switch (rule) {
    case 'required':
      return { column, code: 'required', message: `"${column}" cannot be required: ${has} no value in it.` };
    case 'choices': {
      const message = `${has} another value in "${column}" than the choices allow, such as ${formatValue(example)}.`;
      return { column, code: 'type_mismatch', message };
    }
    case 'length': {
      const message = `"${column}" cannot have an index: ${has} more than ${MAX_INDEXED_TEXT_LENGTH} characters in it.`;
      return { column, code: 'too_long', message };
    }
  }
}
