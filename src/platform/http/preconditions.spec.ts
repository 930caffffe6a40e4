import { acceptedVersions, type AcceptedVersions, etagOf, recordEtag, requireVersion } from './preconditions.js';

describe('If-Match', () => {
  it.each<[string | undefined, AcceptedVersions]>([
    [undefined, undefined],
    ['*', '*'],
    [' * ', '*'],
    [etagOf({ version: 7 }), [7]],
    [recordEtag({ version: 7 }), [7]],
    ['"7-Zk3v-_pLx0", "8-", "9x"', [7]],
    ['"7","8"', [7, 8]],
    [' "7" ,, "12"\t, ', [7, 12]],
    ['W/"7"', []],
    ['W/"7", "8"', [8]],
    ['"v7", "07", "7,8", "", "9"', [9]],
  ])('%s accepts %j', (header, versions) => {
    expect(acceptedVersions(header)).toEqual(versions);
  });

  it.each(['', '7', '"7', '7"', '"7" "8"', '"7"8', '*, "7"', 'w/"7"', 'W/ "7"', ',', '"7", x'])(
    '%j is refused, naming the header',
    (header) => {
      expect(() => acceptedVersions(header)).toThrow(/^If-Match must be/);
    },
  );

  it('takes the longest header there can be in no time that matters', () => {
    expect(() => acceptedVersions(`${'"1" ,\t'.repeat(2_000)} x`)).toThrow(/^If-Match must be/);
    expect(() => acceptedVersions(' ,'.repeat(8_000))).toThrow(/^If-Match must be/);
  });
});

describe('a record', () => {
  it.each<AcceptedVersions>([undefined, '*', [7], [1, 7]])('of version 7 meets %j', (accepted) => {
    expect(() => requireVersion({ version: 7 }, accepted)).not.toThrow();
  });

  it('that is not there meets nothing but no condition', () => {
    expect(() => requireVersion(undefined, undefined)).not.toThrow();
    for (const accepted of ['*', [1], []] as const)
      expect(() => requireVersion(undefined, accepted)).toThrow(/^There is no record yet/);
  });

  it.each([
    [[6], /version 7; If-Match accepts version 6\./],
    [[5, 6], /version 7; If-Match accepts version 5, 6\./],
    [[], /version 7; If-Match accepts no version of it\./],
  ])('of version 7 does not meet %j, and both are named', (accepted, message) => {
    expect(() => requireVersion({ version: 7 }, accepted)).toThrow(message);
  });
});
