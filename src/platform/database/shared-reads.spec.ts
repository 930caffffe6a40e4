import { SharedReads } from './shared-reads.js';

/** A read whose results are given one after the other. */
class Source {
  begun = 0;
  private readonly pending: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];

  readonly read = (): Promise<string> => {
    this.begun++;
    return new Promise((resolve, reject) => this.pending.push({ resolve, reject }));
  };

  async end(value: string | Error): Promise<void> {
    const { resolve, reject } = this.pending.shift()!;
    if (value instanceof Error) reject(value);
    else resolve(value);
    await new Promise((done) => setImmediate(done));
  }
}

describe('SharedReads', () => {
  let source: Source;
  let reads: SharedReads<string>;
  const get = (key = 'a') => reads.get(key, source.read);

  beforeEach(() => {
    source = new Source();
    reads = new SharedReads();
  });

  it('serves callers who arrive during a read by one read that begins afterwards', async () => {
    const first = get();
    const later = [get(), get(), get()];
    expect(source.begun).toBe(1);
    await source.end('old');
    expect(source.begun).toBe(2);
    const last = get();
    await source.end('new');
    expect(await Promise.all([first, ...later])).toEqual(['old', 'new', 'new', 'new']);
    await source.end('newest');
    expect(await last).toBe('newest');
    expect(source.begun).toBe(3);
  });

  it('begins at once if no read with the key is in progress', async () => {
    const reading = [get('a'), get('b')];
    expect(source.begun).toBe(2);
    await source.end('of a');
    await source.end('of b');
    expect(await Promise.all(reading)).toEqual(['of a', 'of b']);
    const again = get('a');
    expect(source.begun).toBe(3);
    await source.end('again');
    expect(await again).toBe('again');
  });

  it('passes an error only to the callers of the failed read', async () => {
    const failing = get().catch((error: unknown) => (error as Error).message);
    const next = get();
    await source.end(new Error('lost'));
    await source.end('found');
    expect([await failing, await next]).toEqual(['lost', 'found']);
  });

  it('passes the error of an unavailable database to all callers that wait', async () => {
    const toMessage = (error: unknown) => (error as Error).message;
    const answers = [get(), get(), get()].map((each) => each.catch(toMessage));
    await source.end(new Error('Connection terminated'));
    expect(await Promise.all(answers)).toEqual(answers.map(() => 'Connection terminated'));
    expect(source.begun).toBe(1);
    const later = get();
    await source.end('found');
    expect(await later).toBe('found');
  });
});
