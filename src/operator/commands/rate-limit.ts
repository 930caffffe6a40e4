import type { Command } from 'commander';
import * as argument from '../arguments.js';
import { addExamples, createAction, formatRecord } from '../output.js';

export function addRateLimitCommands(program: Command): void {
  const rateLimit = program.command('rate-limit').description('rate limits that all instances share');
  addExamples(rateLimit, 'rate-limit reset --address 203.0.113.7');

  const reset = rateLimit
    .command('reset')
    .description('delete the buckets and blocks of an address; an IPv6 address selects its /64')
    .requiredOption('--address <ip>', 'address of the caller', argument.ip)
    .action(
      createAction(async ({ audit, buckets }, { address }: { address: string }) => {
        const forgotten = await buckets.reset(address);
        await audit.record({ kind: 'rate_limits_reset', counts: { buckets: forgotten }, details: { address } });
        const note = forgotten === 0 ? 'The address has no buckets.' : 'The address may send requests again.';
        return formatRecord({ address, forgotten }, { address: 'Address', forgotten: 'Buckets deleted' }, note);
      }),
    );
  addExamples(reset, 'rate-limit reset --address 203.0.113.7');
}
