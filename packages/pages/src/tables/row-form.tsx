import type { Column, Row, TableClient, Value } from '@atrium/client';
import type { TargetedSubmitEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { formatValue } from './filter.js';
import { ErrorMessage } from './messages.js';

interface Properties {
  table: TableClient;
  columns: readonly Column[];
  rowKey: string;
  /** The row as it was read, with its revision. */
  row: { item: Row; revision: number };
  onClose: (isSaved: boolean) => void;
}

/**
 * Changes values of a row, unless another request has changed the row since it was read. Only fields that were edited
 * are sent: a control may not show a value as it is stored, such as the line breaks of Windows.
 */
export function RowForm({ table, columns, rowKey, row, onClose }: Properties) {
  const [error, setError] = useState<unknown>();
  const [isSaving, setSaving] = useState(false);
  const editable = columns.filter(({ primaryKey }) => !primaryKey);

  const edited = useRef(new Set<string>());

  const save = async (form: FormData) => {
    const changes = editable
      .filter(({ key }) => edited.current.has(key))
      .map(({ key, type }): [string, Value, Value] => [key, row.item[key] ?? null, readField(form, key, type)])
      .filter(([, former, value]) => formatValue(former) !== formatValue(value));
    setSaving(true);
    try {
      const values = Object.fromEntries(changes.map(([key, , value]) => [key, value]));
      if (changes.length > 0) await table.patch(rowKey, values, { ifMatch: `"${row.revision}"` });
      onClose(changes.length > 0);
    } catch (failure) {
      setError(failure);
      setSaving(false);
    }
  };
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    void save(new FormData(event.currentTarget));
  };

  return (
    <form
      aria-label="Values"
      onInput={({ target }) => {
        edited.current.add((target as HTMLInputElement).name);
      }}
      onSubmit={submit}
    >
      <div class="fields">
        {editable.map((column) => (
          <label key={column.key}>
            {column.name} <span class="muted">{column.type}</span>
            <Field column={column} value={row.item[column.key] ?? null} />
          </label>
        ))}
      </div>
      <ErrorMessage error={error} />
      <div class="controls">
        <button class="primary" disabled={isSaving}>
          Save
        </button>
        <button
          type="button"
          onClick={() => {
            onClose(false);
          }}
        >
          Cancel
        </button>
      </div>
    </form>
  );
}

function Field({ column: { key, type, required }, value }: { column: Column; value: Value }) {
  const text = formatValue(value);
  const properties = { name: key, required, autocomplete: 'off' } as const;
  if (type === 'text') return <textarea {...properties} rows={text.includes('\n') ? 4 : 1} defaultValue={text} />;
  if (type !== 'checkbox') return <input {...properties} defaultValue={text} />;
  const options = required && value !== null ? ['yes', 'no'] : ['', 'yes', 'no'];
  return (
    <select name={key}>
      {options.map((option) => (
        <option key={option} value={option} selected={option === text}>
          {option}
        </option>
      ))}
    </select>
  );
}

/** An empty field has no value. The service converts texts by the type of their column. */
function readField(form: FormData, key: string, type: string): Value {
  const text = form.get(key) as string;
  if (text === '') return null;
  return type === 'checkbox' ? text === 'yes' : text;
}
