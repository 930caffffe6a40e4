import { stringify } from 'yaml';
import type { GlobalFlags } from '../global-flags.js';
import { SourceFile } from '../files/source-file.js';
import type { SourceFlags } from '../import/import-plan.js';
import { surveyColumns } from '../import/survey.js';
import type { Io } from '../io.js';
import type { ColumnEvidence } from '../mapping/column-evidence.js';
import { inferColumn } from '../mapping/infer-columns.js';
import { inferDialect, type InferredDialect, isDateColumn, isNumberColumn } from '../mapping/infer-dialect.js';
import type { MappedColumn } from '../mapping/mapping-file.js';
import { SAP_FIELDS, SAP_KEYS, type SapField } from '../mapping/sap-fields.js';

/**
 * Prints a mapping for a file, to be edited: known fields with their names, the hierarchy and references to other
 * tables, all others with inferred types.
 */
export async function initMapping(
  _system: string,
  file: string,
  flags: GlobalFlags & SourceFlags,
  io: Io,
): Promise<void> {
  const source = await SourceFile.open(file, flags, io);
  try {
    const surveyed = await surveyColumns(source, flags, () => undefined);
    const dialect = inferDialect(surveyed, flags, source.isCommaSeparated);
    const { decimal, thousands, timezone } = dialect;
    const columns = describeColumns(surveyed, dialect);
    const mapping = { trim: true, decimal, thousands, timezone, nullValues: ['00.00.0000', '00000000'], columns };
    io.stdout.write(flags.json ? `${JSON.stringify(mapping, null, 2)}\n` : COMMENT + stringify(mapping));
  } finally {
    await source.close();
  }
}

const COMMENT = `# Columns of the file (from) and of the table (key, name). Edit names and types, and the tables of references.
# A value such as 00.00.0000 is empty. The values of hierarchyParent are keys of rows of the same table.
`;

function describeColumns(surveyed: ColumnEvidence[], dialect: InferredDialect): MappedColumn[] {
  const nameOf = ({ name }: ColumnEvidence): string => name.trim().toUpperCase();
  const primary = SAP_KEYS.flatMap((key) => surveyed.find((column) => nameOf(column) === key) ?? [])[0] ?? surveyed[0];
  let hasParent = false;
  return surveyed.map((column): MappedColumn => {
    const field = SAP_FIELDS.get(nameOf(column));
    const inferred = withDateFormat(inferColumn(column, dialect), dialect);
    if (!field) return column === primary ? { ...inferred, type: 'text', primaryKey: true } : inferred;
    const named = { from: column.name, key: field.key, name: field.name };
    if (column === primary) return { ...named, type: 'text', primaryKey: true };
    // A table has one hierarchy.
    if (field.parent && !hasParent) {
      hasParent = true;
      return { ...named, type: 'hierarchyParent' };
    }
    if (field.target) return { ...named, type: 'reference', options: { target: field.target } };
    return withDateFormat({ ...named, type: chooseType(field, column, dialect) }, dialect);
  });
}

/** The type of the field, if the values of the file have it. */
function chooseType(
  { type = 'text' }: SapField,
  column: ColumnEvidence,
  dialect: InferredDialect,
): MappedColumn['type'] {
  if (column.filled === 0) return type;
  const { dateFormats } = dialect;
  const isFitting =
    type === 'number'
      ? isNumberColumn(column, dialect)
      : type === 'date'
        ? isDateColumn(column, [...dateFormats, 'YYYYMMDD'])
        : type === 'checkbox'
          ? column.isChecked || column.isBoolean
          : true;
  return isFitting ? type : 'text';
}

function withDateFormat(column: MappedColumn, { dateFormats }: InferredDialect): MappedColumn {
  return column.type === 'date' && dateFormats.length === 1 ? { ...column, format: dateFormats[0] } : column;
}
