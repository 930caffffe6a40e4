import type { ComparisonSummary, ImportOptions, ImportReport, Row, TableClient } from '@atrium/client';
import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { PreparedFile } from './compared-file.js';
import { ErrorMessage, formatCount, Status } from './messages.js';

interface Properties {
  table: TableClient;
  file: PreparedFile;
  /** What the comparison of this file has found. */
  summary: ComparisonSummary;
}

/** Imports a file that was compared. It deletes at most as many rows as the comparison has shown. */
export function ImportForm({ table, file: { file, options }, summary }: Properties) {
  const [state, setState] = useState<{ report?: ImportReport; error?: unknown; isRunning: boolean }>({
    isRunning: false,
  });
  const { report, error, isRunning } = state;

  const run = async (deletes: boolean, skipsErrors: boolean) => {
    setState({ isRunning: true });
    try {
      const request: ImportOptions<Row> = { ...options };
      if (deletes) Object.assign(request, { mode: 'replace', maxDeletions: summary.delete });
      if (skipsErrors) request.onError = 'continue';
      const imported = await table.import(file, request);
      setState({ report: imported, isRunning: false });
    } catch (failure) {
      setState({ error: failure, isRunning: false });
    }
  };
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void run(form.has('deletes'), form.has('skipsErrors'));
  };

  return (
    <>
      {!report && (
        <form class="controls" aria-label="Import" onSubmit={submit}>
          {summary.delete > 0 && (
            <label class="check">
              <input name="deletes" type="checkbox" />
              Also delete the {formatCount(summary.delete, 'row')} that the file lacks
            </label>
          )}
          {summary.error > 0 && (
            <label class="check">
              <input name="skipsErrors" type="checkbox" />
              Skip the {formatCount(summary.error, 'row')} with errors
            </label>
          )}
          <button class="primary" disabled={isRunning}>
            Import this file
          </button>
        </form>
      )}
      <Status>{isRunning ? 'Importing …' : report ? describeReport(report) : ''}</Status>
      <ErrorMessage error={error} />
    </>
  );
}

function describeReport({ totals, proposalId, batchId }: ImportReport): string {
  const { created, updated, deleted = 0, failed } = totals;
  const counts = `${formatCount(created, 'row')} created, ${updated} updated, ${deleted} deleted, ${failed} rejected`;
  if (proposalId !== undefined) return `Nothing is stored yet: ${counts}. Proposal ${proposalId} waits for approval.`;
  return batchId === undefined
    ? `Nothing has changed: ${counts}.`
    : `Stored: ${counts}. Load ${batchId} can be undone.`;
}
