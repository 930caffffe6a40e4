import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from './api.js';
import { measureElapsed } from './elapsed.js';
import { form, sendForm } from './files.js';

/** Pause after each request, in milliseconds. */
const PAUSE_MS = 10;

/** The responses to the small requests of a caller. */
export interface SmallResponses {
  /** Responses by status. */
  statuses: Record<number, number>;
  /** Milliseconds within which 99 % were received. */
  p99: number;
}

/**
 * Sends small requests, one after the other, while the work runs: a page of notes, a new note, and a note with a file,
 * which needs threads, connections to the database and the file storage.
 *
 * @param path of the notes of a workspace.
 */
export async function sendWhile(caller: Api, path: string, work: () => Promise<unknown>): Promise<SmallResponses> {
  const requests = [
    () => caller.get(`${path}?limit=10`),
    () => caller.post(path, { title: 'Note' }),
    () => sendForm(caller, path, form({ title: 'File' }, ['sound.aac'])),
  ];
  const durations: number[] = [];
  const statuses: Record<number, number> = {};
  let isRunning = true;
  const running = work().finally(() => (isRunning = false));
  running.catch(() => undefined);
  for (let number = 0; isRunning; number++) {
    const elapsed = measureElapsed();
    const { status } = await requests[number % requests.length]!();
    durations.push(elapsed());
    statuses[status] = (statuses[status] ?? 0) + 1;
    await delay(PAUSE_MS);
  }
  await running;
  durations.sort((a, b) => a - b);
  return { statuses, p99: durations[Math.floor(durations.length * 0.99)]! };
}
