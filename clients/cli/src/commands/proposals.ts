import type { AtriumClient, Proposal } from '@atrium/client';
import { confirm } from '../confirm.js';
import { openContext } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import { ComparisonPrinter } from '../import/compare.js';
import type { Io, OutputStream } from '../io.js';
import { formatTime, type Output } from '../output.js';

interface DecisionFlags extends GlobalFlags {
  comment?: string;
  yes?: boolean;
}

/** The newest proposals of the workspace. */
export async function listProposals(
  flags: GlobalFlags & { status?: Proposal['status']; limit: number },
  io: Io,
): Promise<void> {
  const { client, output, signal } = await openContext(flags, io);
  const found: Proposal[] = [];
  for await (const proposal of client.proposals.list({ status: flags.status, signal })) {
    found.push(proposal);
    if (found.length >= flags.limit) break;
  }
  await output.table(found, ['id', 'time', 'source', 'tables', 'changes', 'status', 'expires'], describeProposal);
}

/** A proposal and its changes: for people the first ones, as lines of JSON all. */
export async function showProposal(id: string, flags: GlobalFlags, io: Io): Promise<void> {
  const { client, output, signal } = await openContext(flags, io);
  const proposal = await client.proposals.get(id, { signal });
  const { time, id: _, ...described } = describeProposal(proposal);
  const fields: Record<string, string> = { id, created: time, ...described };
  if (proposal.comment) fields['comment'] = proposal.comment;
  if (!output.json) output.fields(fields);
  await printChanges(client, id, output, io.stdout, signal);
}

/** Shows the changes of a proposal, asks, and stores them. */
export async function approveProposal(id: string, flags: DecisionFlags, io: Io): Promise<void> {
  const context = await openContext(flags, io);
  const { client, output, signal } = context;
  if (!output.json && !output.quiet) await printChanges(client, id, output, io.stderr, signal);
  await confirm('Store these changes?', context, { yes: flags.yes ?? false, isRequired: true });
  const proposal = await client.proposals.approve(id, { comment: flags.comment, signal });
  output.result(proposal, () => `Stored. \`atrium undo ${String(proposal.batchId)}\` restores the former rows.\n`);
}

export async function rejectProposal(id: string, flags: DecisionFlags, io: Io): Promise<void> {
  const { client, output, signal } = await openContext(flags, io);
  const proposal = await client.proposals.reject(id, { comment: flags.comment, signal });
  output.result(proposal, () => 'Rejected. Nothing was stored.\n');
}

/** Compares a proposal with the rows as they are now. */
export async function compareProposal(id: string, flags: GlobalFlags, io: Io): Promise<void> {
  const { client, output, signal } = await openContext(flags, io);
  const proposal = await client.proposals.compare(id, { signal });
  if (output.json) output.printJson(proposal);
  else await printChanges(client, id, output, io.stdout, signal);
}

async function printChanges(
  client: AtriumClient,
  id: string,
  output: Output,
  stream: OutputStream,
  signal: AbortSignal,
): Promise<void> {
  const printer = new ComparisonPrinter(output, stream);
  let summary = { create: 0, update: 0, delete: 0 };
  const changes = client.proposals.differences(id, { signal, onSummary: (counts) => (summary = counts) });
  for await (const change of changes) printer.printDifference(change);
  printer.printSummary(summary);
}

function describeProposal({ id, createdAt, source, tables, status, expiresAt }: Proposal) {
  const sum = (name: 'created' | 'updated' | 'deleted'): string =>
    tables.reduce((total, { counts }) => total + counts[name], 0).toLocaleString('en');
  return {
    id,
    time: formatTime(createdAt),
    source,
    tables: tables.map(({ name }) => name).join(', '),
    changes: `+${sum('created')} ~${sum('updated')} -${sum('deleted')}`,
    status,
    expires: status === 'pending' ? formatTime(expiresAt) : '',
  };
}
