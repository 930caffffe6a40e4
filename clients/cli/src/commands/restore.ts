import type { Entity, UpsertReport } from '@atrium/client';
import { parseConditions } from '../conditions.js';
import { confirm } from '../confirm.js';
import { findTable, openContext } from '../context.js';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.js';
import type { GlobalFlags } from '../global-flags.js';
import type { Io } from '../io.js';
import type { Output } from '../output.js';

interface RestoreFlags extends GlobalFlags {
  entity?: Entity;
  asOf: string;
  key?: string[];
  filter?: string[];
  dryRun?: boolean;
  yes?: boolean;
}

/**
 * Shows how many rows a restoration changes, asks, and sets the rows back as one batch.
 *
 * @throws {InvalidRowsError} before the question if former rows are not valid any more
 */
export async function restore(name: string, flags: RestoreFlags, io: Io): Promise<ExitCode> {
  const { asOf } = flags;
  const selection = toSelection(flags);
  const context = await openContext(flags, io);
  const { client, output, signal } = context;
  const table = await findTable(client, name, flags.entity);
  const preview = await table.restore({ asOf, ...selection, dryRun: true, signal });
  const changed = countChanges(preview);
  if (changed === 0 || flags.dryRun) {
    output.result(preview, () => describeRestoration(`${table.entity}/${table.name}`, asOf, preview));
    remarkKeys(flags.key, preview, output);
    if (changed > 0 && preview.needsApproval) output.remark('The restoration would wait for approval.');
    return EXIT.success;
  }
  output.remark(describeRestoration(`${table.entity}/${table.name}`, asOf, preview).trimEnd());
  remarkKeys(flags.key, preview, output);
  await confirm('Restore them?', context, { yes: flags.yes ?? false, isRequired: true });
  const report = await table.restore({ asOf, ...selection, signal });
  output.result(report, () => describeOutcome(report));
  return report.proposalId === undefined ? EXIT.success : EXIT.waitsForApproval;
}

/** @throws {UsageError} if not exactly one of the flags is set */
function toSelection({ key, filter }: RestoreFlags) {
  if (key && !filter) return { keys: key };
  if (filter && !key) return { filter: parseConditions(filter) };
  throw new UsageError('Write which rows to restore: either --key KEY or --filter CONDITION, each repeatable.');
}

const countChanges = ({ totals: { created, updated, deleted = 0 } }: UpsertReport): number =>
  created + updated + deleted;

function describeRestoration(table: string, asOf: string, { totals }: UpsertReport): string {
  const { created, updated, deleted = 0 } = totals;
  if (created + updated + deleted === 0) return `Nothing to restore: the rows are as they were as of ${asOf}.\n`;
  const format = (count: number): string => count.toLocaleString('en');
  return `${table} as of ${asOf}: deletes ${format(deleted)} created rows, restores ${format(updated)} updated and ${format(created)} deleted rows.\n`;
}

function describeOutcome(report: UpsertReport): string {
  const { batchId, proposalId } = report;
  if (proposalId !== undefined) return `The restoration waits for approval: \`atrium proposals show ${proposalId}\`.\n`;
  const rows = `${countChanges(report).toLocaleString('en')} rows`;
  // Another caller may have restored the rows while the question was shown.
  if (batchId === undefined) return 'Nothing to restore: the rows are as they were.\n';
  return `Restored ${rows} as batch ${batchId}. \`atrium undo ${batchId}\` takes it back.\n`;
}

function remarkKeys(keys: string[] | undefined, report: UpsertReport, output: Output): void {
  const { missingKeys = [] } = report;
  const changed = countChanges(report);
  const unchanged = new Set(keys).size - missingKeys.length - changed;
  // Without any change, the result says so of all keys.
  if (changed > 0 && unchanged > 0)
    output.remark(`${unchanged} of the keys have no difference: the row is as it was, or did not exist then and now.`);
  if (missingKeys.length > 0)
    output.remark(`No row has or had the keys ${missingKeys.map((key) => `"${key}"`).join(', ')}.`);
}
