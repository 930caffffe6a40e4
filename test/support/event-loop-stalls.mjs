import { readFileSync } from 'node:fs';

// Preloaded into a service: SIGUSR2 prints the longest time for which the event loop was blocked since the previous
// signal.
const INTERVAL_MS = 5;

/** CPU time of the main thread in milliseconds. Linux only; elsewhere that of the process. */
function cpuTime() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
}

let longest = 0;
let before = { at: performance.now(), cpu: cpuTime() };

// On a busy machine the process also waits for a core. Only the CPU time within a gap is work that blocked the loop.
setInterval(() => {
  const now = { at: performance.now(), cpu: cpuTime() };
  longest = Math.max(longest, Math.min(now.at - before.at - INTERVAL_MS, now.cpu - before.cpu));
  before = now;
}, INTERVAL_MS).unref();

process.on('SIGUSR2', () => {
  process.stdout.write(`longest stall: ${Math.round(longest)} ms\n`);
  longest = 0;
});
