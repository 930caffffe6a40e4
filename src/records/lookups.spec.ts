import { lookUpOnce, rememberLookups } from './lookups.js';

describe('lookUpOnce', () => {
  const createLookup = () => {
    const keys: string[] = [];
    const find = (key: string) => lookUpOnce(['row', key], () => Promise.resolve(keys.push(key)));
    return { keys, find };
  };

  it('runs each different lookup once during the work', async () => {
    const { keys, find } = createLookup();
    const results = await rememberLookups(async () => [await find('A'), await find('B'), await find('A')]);
    expect([results, keys]).toEqual([
      [1, 2, 1],
      ['A', 'B'],
    ]);
    await rememberLookups(() => find('A'));
    expect(keys).toEqual(['A', 'B', 'A']);
  });

  it('remembers nothing otherwise', async () => {
    const { keys, find } = createLookup();
    await find('A');
    await find('A');
    expect(keys).toEqual(['A', 'A']);
  });
});
