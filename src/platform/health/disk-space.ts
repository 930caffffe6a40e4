import { statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';

/** How long a scrape waits for the file system, in milliseconds. */
const MAX_WAIT_MS = 1_000;

/**
 * Registers the metrics of the disk of DATA_DIR. They are absent if its file system, such as one of a network, does not
 * answer within a second.
 */
export function registerDiskSpace(registry: Registry, dataDir: string): void {
  // A file system that does not answer is not asked again, because each question occupies a thread.
  let reading: ReturnType<typeof readSpace> | undefined;
  const register = (name: string, help: string, value: 'free' | 'size') => {
    const gauge = new Gauge({
      name,
      help,
      labelNames: ['disk'],
      registers: [registry],
      async collect() {
        reading ??= readSpace(dataDir).finally(() => (reading = undefined));
        const late = delay(MAX_WAIT_MS, undefined, { ref: false });
        const space = await Promise.race([reading, late]).catch(() => undefined);
        if (space) gauge.set({ disk: 'DATA_DIR' }, space[value]);
        else gauge.reset();
      },
    });
  };
  register('disk_free_bytes', 'Free space of the disk of DATA_DIR for the service.', 'free');
  register('disk_size_bytes', 'Size of the disk of DATA_DIR.', 'size');
}

async function readSpace(path: string): Promise<{ free: number; size: number }> {
  const { bsize, bavail, blocks } = await statfs(path);
  return { free: bavail * bsize, size: blocks * bsize };
}
