import type { Table } from '@atrium/client';
import { useEffect } from 'preact/hooks';
import { ENTITY_TITLES, formatRoute } from './routes.js';
import type { TableRoute } from './tables.js';
import { setTitle } from './title.js';

/** The position of the table, its name, and links to its views. */
export function TableHeader({ route, definition }: { route: TableRoute; definition: Table | undefined }) {
  const { workspaceId, entity, table, view } = route;
  const title = definition?.name ?? table;
  // The address may contain the ID of the table, whose name is read later.
  useEffect(() => {
    setTitle(title);
  }, [title]);
  const hasHierarchy = definition?.columns.some(({ type }) => type === 'hierarchyParent') ?? false;
  const views = [
    { name: 'rows', label: 'Rows' },
    ...(hasHierarchy || view === 'hierarchy' ? [{ name: 'hierarchy', label: 'Hierarchy' } as const] : []),
    { name: 'compare', label: 'Compare a file' },
  ] as const;
  return (
    <>
      <nav class="path" aria-label="Position">
        <ol>
          <li>
            <a href={formatRoute({ workspaceId })}>Tables</a>
          </li>
          <li>{ENTITY_TITLES[entity]}</li>
          <li aria-current="page">{title}</li>
        </ol>
      </nav>
      <h1 tabIndex={-1}>{title}</h1>
      <nav class="views" aria-label="Views">
        {views.map(({ name, label }) => (
          <a
            key={name}
            href={formatRoute({ ...route, view: name, row: undefined })}
            aria-current={view === name ? 'page' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
    </>
  );
}
