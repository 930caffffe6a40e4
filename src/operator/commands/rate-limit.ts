import type { Command } from 'commander';
import * as argument from '../arguments.js';
import { answering, facts } from '../output.js';

export function addRateLimitCommands(program: Command): void {
  const rateLimit = program.command('rate-limit').description('the limits that all instances share');

  rateLimit
    .command('reset')
    .description('forget what an address has done, and let it in again; an IPv6 address stands for its /64')
    .requiredOption('--address <ip>', 'whose', argument.ip)
    .action(
      answering(async ({ buckets }, { address }: { address: string }) => {
        const forgotten = await buckets.reset(address);
        const note = forgotten === 0 ? 'Nothing counted against the address.' : 'The address is let in again.';
        return facts({ address, forgotten }, { address: 'Address', forgotten: 'Counts forgotten' }, note);
      }),
    );
}
