import type { Request } from 'express';
import {
  type AcceptedVersions,
  isNotModified,
  parseIfMatch,
  recordEtag,
  requireVersion,
  versionEtag,
} from './conditional-requests.js';

describe('parseIfMatch', () => {
  it.each<[string | undefined, AcceptedVersions]>([
    [undefined, undefined],
    ['*', '*'],
    [' * ', '*'],
    [versionEtag(7), [7]],
    [recordEtag({ version: 7 }), [7]],
    ['"7-Zk3v-_pLx0", "8-", "9x"', [7]],
    ['"7-Zk3v-_pLx0-gzip", "8-br"', [7, 8]],
    ['"7","8"', [7, 8]],
    [' "7" ,, "12"\t, ', [7, 12]],
    ['W/"7-Zk3v-_pLx0"', [7]],
    ['W/"7", "8"', [7, 8]],
    ['W/"x"', []],
    ['"v7", "07", "7,8", "", "9"', [9]],
  ])('parses %s as %j', (header, versions) => {
    expect(parseIfMatch(header)).toEqual(versions);
  });

  it.each(['', '7', '"7', '7"', '"7" "8"', '"7"8', '*, "7"', 'w/"7"', 'W/ "7"', ',', '"7", x'])(
    'rejects %j and names the header',
    (header) => {
      expect(() => parseIfMatch(header)).toThrow(/^If-Match must be/);
    },
  );

  it('rejects the longest possible header in linear time', () => {
    expect(() => parseIfMatch(`${'"1" ,\t'.repeat(2_000)} x`)).toThrow(/^If-Match must be/);
    expect(() => parseIfMatch(' ,'.repeat(8_000))).toThrow(/^If-Match must be/);
  });
});

describe('isNotModified', () => {
  const matches = (header: string, etag: string) =>
    isNotModified({ method: 'GET', headers: { 'if-none-match': header } } as Request, etag);

  it.each(['"7-Zk3v9QpLx0"', '"7-Zk3v9Qp-br"'])('accepts the tag %s, weak, and of a compressed response', (etag) => {
    const coded = ['br', 'gzip', 'deflate'].map((coding) => `${etag.slice(0, -1)}-${coding}"`);
    for (const tag of [etag, ...coded])
      for (const header of [tag, `W/${tag}`, `"x", ${tag}`])
        expect([header, matches(header, etag)]).toEqual([header, true]);
  });

  it.each(['"7-Zk3v9QpLx0-zstd"', '"7-Zk3v9QpLx0-gzip-gzip"', '"7"', '"-gzip"', '""'])('rejects the tag %s', (tag) => {
    expect(matches(tag, '"7-Zk3v9QpLx0"')).toBe(false);
  });
});

describe('requireVersion', () => {
  it.each<AcceptedVersions>([undefined, '*', [7], [1, 7]])('accepts version 7 for %j', (accepted) => {
    expect(() => requireVersion({ version: 7 }, accepted)).not.toThrow();
  });

  it('accepts a missing record only without a condition', () => {
    expect(() => requireVersion(undefined, undefined)).not.toThrow();
    for (const accepted of ['*', [1], []] as const)
      expect(() => requireVersion(undefined, accepted)).toThrow(/^If-Match requires an existing record/);
  });

  it.each([
    [[6], /version 7, but If-Match contains version 6\./],
    [[5, 6], /version 7, but If-Match contains version 5, 6\./],
    [[], /version 7, but If-Match contains no valid version\./],
  ])('rejects version 7 for %j and names both', (accepted, message) => {
    expect(() => requireVersion({ version: 7 }, accepted)).toThrow(message);
  });
});
