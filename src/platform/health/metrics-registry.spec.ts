import { Gauge } from 'prom-client';
import type { DatabaseState } from '../database/database-state.js';
import { MetricsRegistry } from './metrics-registry.js';

it('collects once for all scrapes that wait, and again for a scrape that follows', async () => {
  const registry = new MetricsRegistry({} as DatabaseState);
  let collections = 0;
  new Gauge({
    name: 'collections',
    help: 'Collections.',
    registers: [registry],
    collect() {
      this.set(++collections);
    },
  });
  const scrape = async () => /^collections (\d+)$/m.exec(await registry.metrics())?.[1];
  const startedAt = performance.now();
  const first = await Promise.all(Array.from({ length: 20 }, scrape));
  expect(new Set(first)).toEqual(new Set(['1']));
  const second = await Promise.all(Array.from({ length: 20 }, scrape));
  expect(new Set(second)).toEqual(new Set(['2']));
  expect(performance.now() - startedAt).toBeGreaterThan(900);
});

it('collects again after a failure', async () => {
  const registry = new MetricsRegistry({} as DatabaseState);
  let isFailing = true;
  new Gauge({
    name: 'failing',
    help: 'Fails once.',
    registers: [registry],
    collect() {
      if (isFailing) throw new Error('failed');
    },
  });
  await expect(registry.metrics()).rejects.toThrow('failed');
  isFailing = false;
  expect(await registry.metrics()).toContain('failing');
});
