import type { Column } from '@atrium/client';
import type { Route } from './routes.js';

interface Properties {
  columns: readonly Column[];
  sort: string | undefined;
  change: (route: Partial<Route>) => void;
}

/** The primary key first, because it is the heading of the row. */
export function orderColumns(columns: readonly Column[]): Column[] {
  return [...columns.filter(({ primaryKey }) => primaryKey), ...columns.filter(({ primaryKey }) => !primaryKey)];
}

/** Headings that sort: ascending, descending, then in the order of the keys again. */
export function ColumnHeadings({ columns, sort, change }: Properties) {
  return (
    <tr>
      {columns.map(({ key, name, type }) => {
        const direction = sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : 'none';
        const next = { none: key, ascending: `-${key}`, descending: undefined }[direction];
        return (
          <th key={key} scope="col" aria-sort={direction} class={type === 'number' ? 'number' : undefined}>
            <button
              type="button"
              class="sort"
              onClick={() => {
                change({ sort: next });
              }}
            >
              {name}
              <span class="direction" aria-hidden="true">
                {{ none: '↕', ascending: '↑', descending: '↓' }[direction]}
              </span>
            </button>
          </th>
        );
      })}
    </tr>
  );
}
