import * as argument from '../arguments.js';
import type { OperatorCommand } from '../operator-command.js';
import { formatRecord } from '../output.js';

export function addRateLimitCommands(program: OperatorCommand): void {
  const rateLimit = program
    .command('rate-limit')
    .description('rate limits that all instances share')
    .examples('rate-limit reset --address 203.0.113.7');

  rateLimit
    .command('reset')
    .description('delete the buckets and blocks of an address; an IPv6 address selects its /64')
    .requiredOption('--address <ip>', 'address of the caller', argument.ip)
    .examples('rate-limit reset --address 203.0.113.7')
    .run(async ({ audit, buckets }, { address }: { address: string }) => {
      const forgotten = await buckets.reset(address);
      await audit.record({ kind: 'rate_limits_reset', counts: { buckets: forgotten }, details: { address } });
      const note = forgotten === 0 ? 'The address has no buckets.' : 'The address may send requests again.';
      return formatRecord({ address, forgotten }, { address: 'Address', forgotten: 'Buckets deleted' }, note);
    });
}
