import type { TestService } from './service.js';
import { until } from './until.js';

/** The longest stall of a service with `event-loop-stalls.mjs` since the last call, in milliseconds. */
export async function readLongestStall(service: TestService): Promise<number> {
  const printed = () => service.output.join('').match(/longest stall: \d+ ms/g) ?? [];
  const before = printed().length;
  process.kill(service.pid, 'SIGUSR2');
  const all = await until(printed, (lines) => lines.length > before);
  return Number(/\d+/.exec(all.at(-1)!)![0]);
}
