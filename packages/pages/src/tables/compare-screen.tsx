import type { AtriumClient, Column, Table } from '@atrium/client';
import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useMayWrite } from './access.js';
import { orderColumns } from './column-headings.js';
import {
  type ComparedRow,
  type Comparison,
  compareFile,
  DELIMITERS,
  ENCODINGS,
  GROUP_SEPARATORS,
  listSheets,
  MAX_SHOWN,
  prepareFile,
  type PreparedFile,
} from './compared-file.js';
import type { FileForm } from './file-form.js';
import { formatChange } from './filter.js';
import { ErrorMessage, formatCount, ScrollRegion, Status } from './messages.js';
import { ImportForm } from './import-form.js';
import { TableHeader } from './table-header.js';
import { openTable, type TableRoute } from './tables.js';
import { useLoad } from './use-load.js';

const KINDS = ['error', 'create', 'update', 'delete'] as const;
const KIND_LABELS: Record<ComparedRow['change'], string> = {
  error: 'Error',
  create: 'Created',
  update: 'Updated',
  delete: 'Deleted',
};

/** Compares a file with a table, and then imports it with the same options. */
export function CompareScreen({ client, route }: { client: AtriumClient; route: TableRoute }) {
  const table = useMemo(() => openTable(client, route), [client, route.entity, route.table]);
  const { data: definition, error: tableError } = useLoad(() => table.describe(), [table]);
  const [comparison, setComparison] = useState<Comparison>();
  const [prepared, setPrepared] = useState<PreparedFile>();
  const mayWrite = useMayWrite();
  const [error, setError] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);
  const controller = useRef(new AbortController());
  useEffect(
    () => () => {
      controller.current.abort();
    },
    [],
  );

  const compare = async (columns: readonly Column[], file: File, form: FileForm) => {
    controller.current.abort();
    controller.current = new AbortController();
    const { signal } = controller.current;
    setComparison(undefined);
    setError(undefined);
    setRunning(true);
    try {
      const read = await prepareFile(columns, file, form);
      if (signal.aborted) return;
      setPrepared(read);
      for await (const part of compareFile(table, columns, read, signal)) setComparison({ ...part });
    } catch (failure) {
      if (!signal.aborted) setError(failure);
    } finally {
      if (controller.current.signal === signal) setRunning(false);
    }
  };

  return (
    <>
      <TableHeader route={route} definition={definition} />
      <ErrorMessage error={tableError} />
      {definition && (
        <>
          <p>
            Choose a file with rows of this table. The service reads it as a complete new content, and reports what
            would change. Nothing is stored{mayWrite && ' until you import the file'}.
          </p>
          <FileFields
            isRunning={isRunning}
            onCompare={(file, form) => void compare(definition.columns, file, form)}
            onCancel={() => {
              controller.current.abort();
              setRunning(false);
            }}
          />
          <Status>{isRunning ? 'Comparing …' : describeResult(comparison)}</Status>
          <ErrorMessage error={error} />
          {mayWrite && prepared && comparison?.summary && (
            <ImportForm key={comparison.received} table={table} file={prepared} summary={comparison.summary} />
          )}
          {comparison && comparison.rows.length > 0 && <Differences comparison={comparison} definition={definition} />}
        </>
      )}
    </>
  );
}

function describeResult(comparison: Comparison | undefined): string {
  if (!comparison?.summary) return '';
  const { create, update, delete: deleted, unchanged, error } = comparison.summary;
  const parts = [
    `${formatCount(error, 'row')} with errors`,
    `${create.toLocaleString('en')} created`,
    `${update.toLocaleString('en')} updated`,
    `${deleted.toLocaleString('en')} deleted`,
    `${unchanged.toLocaleString('en')} unchanged`,
  ];
  return `${parts.join(', ')}.`;
}

interface FileFieldsProperties {
  isRunning: boolean;
  onCompare: (file: File, form: FileForm) => void;
  onCancel: () => void;
}

function FileFields({ isRunning, onCompare, onCancel }: FileFieldsProperties) {
  const [sheets, setSheets] = useState<readonly string[]>([]);
  const [error, setError] = useState<unknown>();
  const chosen = useRef<File | undefined>(undefined);
  const choose = async (file: File | undefined) => {
    chosen.current = file;
    setSheets([]);
    setError(undefined);
    try {
      const found = file ? await listSheets(file) : [];
      if (chosen.current === file) setSheets(found);
    } catch (failure) {
      if (chosen.current === file) setError(failure);
    }
  };
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const textOf = (name: string) => (form.get(name) as string).trim();
    onCompare(form.get('file') as File, {
      // A tab is white space.
      delimiter: form.get('delimiter') as string,
      decimal: textOf('decimal'),
      thousands: form.get('thousands') as string,
      dateFormat: textOf('dateFormat'),
      timezone: textOf('timezone'),
      charset: textOf('charset'),
      ignoresUnknownColumns: form.has('ignoresUnknownColumns'),
      sheet: (form.get('sheet') as string | null) ?? undefined,
      headerRow: Number(form.get('headerRow')),
    });
  };
  return (
    <form aria-label="File" onSubmit={submit}>
      <div class="controls">
        <label>
          CSV, Excel or NDJSON file
          <input
            name="file"
            type="file"
            accept=".csv,.txt,.ndjson,.jsonl,.xlsx,.xlsm"
            required
            onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
          />
        </label>
        {sheets.length > 0 && (
          <label>
            Sheet
            <select name="sheet" required>
              <option value="">choose one of {sheets.length}</option>
              {sheets.map((sheet) => (
                <option key={sheet}>{sheet}</option>
              ))}
            </select>
          </label>
        )}
        <button class="primary" disabled={isRunning}>
          Compare
        </button>
        {isRunning && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
      </div>
      <details>
        <summary>How the file is written</summary>
        <div class="controls">
          <label>
            Delimiter
            <select name="delimiter">
              <option value="">as in the header</option>
              {Object.entries(DELIMITERS).map(([character, name]) => (
                <option key={name} value={character}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label>
            Decimal separator
            <select name="decimal">
              <option value=".">point</option>
              <option value=",">comma</option>
            </select>
          </label>
          <label>
            Group separator
            <select name="thousands">
              <option value="">none</option>
              {Object.entries(GROUP_SEPARATORS).map(([character, name]) => (
                <option key={name} value={character}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label>
            Formats of dates
            <input name="dateFormat" placeholder="DD.MM.YYYY" autocomplete="off" />
          </label>
          <label>
            Timezone of times in these formats
            <input name="timezone" placeholder="Europe/Vienna" autocomplete="off" />
          </label>
          <label>
            Encoding
            <input name="charset" placeholder="utf-8" autocomplete="off" list="encodings" />
            <datalist id="encodings">
              {ENCODINGS.map((encoding) => (
                <option key={encoding} value={encoding} />
              ))}
            </datalist>
          </label>
          <label>
            Row of the header (Excel)
            <input name="headerRow" type="number" min="1" max="1048576" value="1" required />
          </label>
          <label class="check">
            <input name="ignoresUnknownColumns" type="checkbox" />
            Ignore columns that the table lacks
          </label>
        </div>
      </details>
      <ErrorMessage error={error} />
    </form>
  );
}

function Differences({ comparison, definition }: { comparison: Comparison; definition: Table }) {
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const rows = comparison.rows.filter(({ change }) => !hidden.includes(change));
  const columns = orderColumns(definition.columns).filter(
    ({ key, primaryKey }) => primaryKey || rows.some((row) => hasValueIn(row, key)),
  );
  return (
    <>
      <fieldset class="kinds">
        <legend>Show</legend>
        {KINDS.filter((kind) => comparison.counts[kind] > 0).map((kind) => (
          <label key={kind} class="check">
            <input
              type="checkbox"
              checked={!hidden.includes(kind)}
              onChange={({ currentTarget }) => {
                setHidden(currentTarget.checked ? hidden.filter((each) => each !== kind) : [...hidden, kind]);
              }}
            />
            {KIND_LABELS[kind]} ({comparison.counts[kind].toLocaleString('en')}
            {comparison.counts[kind] > MAX_SHOWN && `, the first ${MAX_SHOWN.toLocaleString('en')} are shown`})
          </label>
        ))}
      </fieldset>
      <ScrollRegion label="Differences">
        <table>
          <thead>
            <tr>
              <th scope="col">Change</th>
              <th scope="col" class="number">
                Line
              </th>
              {columns.map(({ key, name }) => (
                <th key={key} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <DifferenceRow key={index} row={row} columns={columns} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </>
  );
}

function hasValueIn(row: ComparedRow, column: string): boolean {
  if (row.change !== 'error') return Object.hasOwn(row.columns, column);
  return Object.hasOwn(row.cells, column) || Object.hasOwn(row.errors, column);
}

function DifferenceRow({ row, columns }: { row: ComparedRow; columns: readonly Column[] }) {
  const isError = row.change === 'error';
  return (
    <tr class={row.change}>
      <th scope="row">
        <span class={`badge ${row.change}`}>{KIND_LABELS[row.change]}</span>
        {isError &&
          row.rowErrors.map((message) => (
            <span key={message} class="cell-error">
              {message}
            </span>
          ))}
      </th>
      <td class="number">{isError ? row.line : ''}</td>
      {columns.map((column) => (
        <DifferenceCell key={column.key} row={row} column={column} />
      ))}
    </tr>
  );
}

function DifferenceCell({ row, column: { key, primaryKey } }: { row: ComparedRow; column: Column }) {
  if (row.change === 'error') {
    const errors = row.errors[key] ?? [];
    return (
      <td class={errors.length > 0 ? 'invalid' : undefined}>
        {row.cells[key]}
        {errors.map((message) => (
          <span key={message} class="cell-error">
            {message}
          </span>
        ))}
      </td>
    );
  }
  if (primaryKey) return <td>{row.key}</td>;
  const value = row.columns[key];
  if (!value) return <td />;
  return (
    <td class="changed">
      {value.from !== null && <del>{formatChange(value.from)}</del>}
      {value.from !== null && value.to !== null && ' '}
      {value.to !== null && <ins>{formatChange(value.to)}</ins>}
      {value.from !== null && value.to === null && row.change === 'update' && <span class="muted"> (empty)</span>}
    </td>
  );
}
