import type { Column, Row, Value } from '@atrium/client';
import { findPrimaryKey, formatValue, REFERENCE_TYPES } from './filter.js';
import { formatRoute } from './routes.js';
import { useIsUnresolved } from './unresolved.js';
import { type Expanded, type TableRoute, toReferenceRoute } from './tables.js';

interface Properties {
  route: TableRoute;
  column: Column;
  value: Value | undefined;
  /** Of the row that contains the value. */
  rowKey: string;
  expanded: Expanded;
}

/** The value of a cell. A reference has the title of its row, or the mark that no row has the key. */
export function CellValue({ route, column, value, rowKey, expanded }: Properties) {
  const text = formatValue(value);
  if (!REFERENCE_TYPES.includes(column.type) || text === '') return <>{text}</>;
  const titles = expanded[column.key] ?? {};
  const row = Object.hasOwn(titles, text) ? titles[text] : undefined;
  if (!row) return <UntitledReference column={column.key} rowKey={rowKey} text={text} />;
  const target = toReferenceRoute(route, column, text, row);
  return (
    <>
      {target ? <a href={formatRoute(target)}>{text}</a> : text}
      {row.title !== text && <span class="muted"> {row.title}</span>}
    </>
  );
}

/** A reference whose row the caller does not see, or which does not exist. */
function UntitledReference({ column, rowKey, text }: { column: string; rowKey: string; text: string }) {
  if (!useIsUnresolved(column, rowKey)) return <>{text}</>;
  return (
    <>
      <span class="unresolved">{text}</span> <span class="badge">unresolved</span>
    </>
  );
}

/** The cells of a row, except for that of its primary key. */
export function RowCells({
  route,
  columns,
  row,
  expanded,
}: Omit<Properties, 'column' | 'value' | 'rowKey'> & RowProperties) {
  const rowKey = formatValue(row[findPrimaryKey(columns)]);
  return (
    <>
      {columns
        .filter(({ primaryKey }) => !primaryKey)
        .map((column) => (
          <td key={column.key} class={column.type === 'number' ? 'number' : undefined}>
            <CellValue route={route} column={column} value={row[column.key]} rowKey={rowKey} expanded={expanded} />
          </td>
        ))}
    </>
  );
}

interface RowProperties {
  columns: readonly Column[];
  row: Row;
}

/** The primary key of a row, which opens its details. */
export function RowLink({ route, rowKey }: { route: TableRoute; rowKey: string }) {
  return <a href={formatRoute({ ...route, row: rowKey })}>{rowKey}</a>;
}
