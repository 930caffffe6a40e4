import type { ColumnType } from '@atrium/client';
import type { MappedColumn } from './mapping-file.js';
import type { ColumnEvidence } from './column-evidence.js';
import { type InferredDialect, isDateColumn, isNumberColumn } from './infer-dialect.js';

/** Infers the type of a new column from all its values: text, unless all of them can have another type. */
export function inferColumn(evidence: ColumnEvidence, dialect: InferredDialect): MappedColumn {
  return { from: evidence.name, name: evidence.name, type: inferType(evidence, dialect) };
}

function inferType(evidence: ColumnEvidence, dialect: InferredDialect): ColumnType {
  if (evidence.filled === 0) return 'text';
  // Only `X` in all rows is a text: a checkbox is empty in others.
  if ((evidence.isChecked && evidence.hasEmpty) || evidence.isBoolean) return 'checkbox';
  if (isDateColumn(evidence, dialect.dateFormats)) return 'date';
  return isNumberColumn(evidence, dialect) ? 'number' : 'text';
}
