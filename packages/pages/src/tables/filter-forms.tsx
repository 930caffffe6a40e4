import type { Column } from '@atrium/client';
import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { findOperator, listOperators, REFERENCE_TYPES } from './filter.js';
import type { Condition, Route } from './routes.js';
import type { TableRoute } from './tables.js';
import { MAX_UNRESOLVED } from './unresolved.js';

interface Properties {
  route: TableRoute;
  columns: readonly Column[];
  change: (route: Partial<Route>) => void;
}

const textOf = (form: FormData, name: string) => ((form.get(name) ?? '') as string).trim();

/** Adds a condition on a column, and lists the conditions, all of which must be true. */
export function FilterForm({ route, columns, change }: Properties) {
  const conditions = route.conditions ?? [];
  const [column, setColumn] = useState(columns[0]?.key ?? '');
  const [operator, setOperator] = useState('eq');
  const type = columns.find(({ key }) => key === column)?.type ?? 'text';
  const operators = listOperators(type);
  const selected = operators.find(({ name }) => name === operator) ?? operators[0]!;

  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const condition: Condition = [column, selected.name, textOf(new FormData(form), 'value')];
    change({ conditions: [...conditions, condition] });
    form.reset();
  };

  return (
    <>
      <form class="controls" aria-label="Filter" onSubmit={submit}>
        <label>
          Column
          <select
            value={column}
            onChange={({ currentTarget }) => {
              setColumn(currentTarget.value);
            }}
          >
            {columns.map(({ key, name }) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          Condition
          <select
            value={selected.name}
            onChange={({ currentTarget }) => {
              setOperator(currentTarget.value);
            }}
          >
            {operators.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
        {selected.hasValue && (
          <label>
            Value
            <input name="value" autocomplete="off" />
          </label>
        )}
        <button>Add filter</button>
      </form>
      {conditions.length > 0 && (
        <ul class="conditions" aria-label="Filters">
          {conditions.map((condition, index) => {
            const text = describe(condition, columns);
            return (
              <li key={index}>
                {text}
                <button
                  type="button"
                  aria-label={`Remove the filter ${text}`}
                  onClick={() => {
                    change({ conditions: conditions.filter((each) => each !== condition) });
                  }}
                >
                  ✕
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}

function describe([column, operator, value]: Condition, columns: readonly Column[]): string {
  const name = columns.find(({ key }) => key === column)?.name ?? column;
  const found = findOperator(operator);
  return `${name} ${found?.label ?? operator}${found?.hasValue ? ` “${value}”` : ''}`;
}

/** What applies to all views: the moment, and for lists of rows a search and the unresolved references. */
export function ReadForm({ route, columns, change }: Properties) {
  const isList = route.view === 'rows';
  const hasReferences = columns.some(({ type }) => REFERENCE_TYPES.includes(type));
  const form = useRef<HTMLFormElement>(null);
  // `defaultValue` does not change what a user has edited, for example after "Back".
  useEffect(() => {
    for (const [name, value] of Object.entries({ search: route.search, asOf: route.asOf })) {
      const input = form.current?.elements.namedItem(name);
      if (input instanceof HTMLInputElement) input.value = value ?? '';
    }
  }, [route.search, route.asOf]);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const changes: Partial<Route> = { asOf: textOf(data, 'asOf') };
    if (isList) changes.search = textOf(data, 'search');
    change(changes);
  };
  return (
    <form ref={form} class="controls" aria-label="Read" onSubmit={submit}>
      {isList && (
        <label>
          Search
          <input name="search" type="search" defaultValue={route.search ?? ''} placeholder="in all texts" />
        </label>
      )}
      <label>
        As of
        <input
          name="asOf"
          defaultValue={route.asOf ?? ''}
          placeholder="revision or time"
          title="A revision of the table, or a time with its zone such as 2026-12-01T08:00:00Z"
          autocomplete="off"
        />
      </label>
      <button>Apply</button>
      {isList && hasReferences && route.asOf === undefined && (
        <label class="check">
          <input
            type="checkbox"
            checked={route.unresolved ?? false}
            onChange={({ currentTarget }) => {
              change({ unresolved: currentTarget.checked });
            }}
          />
          Only unresolved references (the first {MAX_UNRESOLVED.toLocaleString('en')})
        </label>
      )}
    </form>
  );
}
