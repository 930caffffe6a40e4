import { Option } from '@commander-js/extra-typings';
import type { Proposal } from '@atrium/client';
import { formatChanges, sumChanges } from '../changes.js';
import { confirm } from '../confirm.js';
import type { Context } from '../context.js';
import { DifferencePrinter } from '../import/differences.js';
import type { OutputStream } from '../io.js';
import { toArray } from '../iteration.js';
import { parseCount } from '../options.js';
import { formatTime } from '../output.js';
import type { Program, Runner } from '../runner.js';

const STATUSES = ['pending', 'approved', 'rejected', 'expired'] as const;

export function addProposalCommands(program: Program, { inWorkspace }: Runner): void {
  const proposals = program.command('proposals').description('review loads that wait for approval');
  proposals
    .command('list')
    .description('list proposals, the newest first')
    .addOption(new Option('--status <status>').choices(STATUSES))
    .option('--limit <number>', 'newest proposals', parseCount, 50)
    .action(
      inWorkspace(async ({ client, output, signal }, { status, limit }) => {
        const found = await toArray(client.proposals.list({ status, signal }), limit);
        await output.table(found, ['id', 'time', 'source', 'tables', 'changes', 'status', 'expires'], describeProposal);
      }),
    );
  proposals
    .command('show <id>')
    .description('show the changes of a proposal')
    .action(
      inWorkspace(async (context, id) => {
        const { client, io, output, signal } = context;
        const proposal = await client.proposals.get(id, { signal });
        const { id: shown, time: created, ...described } = describeProposal(proposal);
        const fields: Record<string, string> = { id: shown, created, ...described };
        if (proposal.comment) fields['comment'] = proposal.comment;
        if (!output.json) output.fields(fields);
        await printChanges(context, id, io.stdout);
      }),
    );
  proposals
    .command('approve <id>')
    .description('show the changes of a proposal, and store them')
    .option('--comment <text>', 'for the author')
    .option('--yes', 'do not ask')
    .action(
      inWorkspace(async (context, id, { comment, yes }) => {
        const { client, io, output, signal } = context;
        if (!output.json && !output.quiet) await printChanges(context, id, io.stderr);
        await confirm('Store these changes?', context, { yes });
        const proposal = await client.proposals.approve(id, { comment, signal });
        output.result(
          proposal,
          () => `Stored. \`atrium undo ${String(proposal.batchId)}\` restores the former rows.\n`,
        );
      }),
    );
  proposals
    .command('reject <id>')
    .description('reject a proposal; nothing is stored')
    .option('--comment <text>', 'for the author')
    .action(
      inWorkspace(async ({ client, output, signal }, id, { comment }) => {
        const proposal = await client.proposals.reject(id, { comment, signal });
        output.result(proposal, () => 'Rejected. Nothing was stored.\n');
      }),
    );
  proposals
    .command('compare <id>')
    .description('compare a proposal with the rows as they are now')
    .action(
      inWorkspace(async (context, id) => {
        const { client, io, output, signal } = context;
        const proposal = await client.proposals.compare(id, { signal });
        if (output.json) output.printJson(proposal);
        else await printChanges(context, id, io.stdout);
      }),
    );
}

/** The changes of a proposal: for people the first ones, as lines of JSON all. */
async function printChanges({ client, output, signal }: Context, id: string, stream: OutputStream): Promise<void> {
  await new DifferencePrinter(output, stream).printAll((onSummary) =>
    client.proposals.differences(id, { signal, onSummary }),
  );
}

function describeProposal({ id, createdAt, source, tables, status, expiresAt }: Proposal) {
  return {
    id,
    time: formatTime(createdAt),
    source,
    tables: tables.map(({ name }) => name).join(', '),
    changes: formatChanges(sumChanges(tables.map(({ counts }) => counts))),
    status,
    expires: status === 'pending' ? formatTime(expiresAt) : '',
  };
}
