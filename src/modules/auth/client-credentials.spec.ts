import { readBasicPassword, readClientCredentials } from './client-credentials.js';

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('readClientCredentials', () => {
  it('reads the body', () => {
    expect(readClientCredentials(undefined, { client_id: 'a', client_secret: 'b' })).toEqual({
      clientId: 'a',
      clientSecret: 'b',
    });
  });

  it('prefers the Basic header to the body', () => {
    expect(readClientCredentials(basic('c:d'), { client_id: 'a', client_secret: 'b' })).toEqual({
      clientId: 'c',
      clientSecret: 'd',
    });
  });

  it('form-decodes the Basic header and splits it at the first colon', () => {
    expect(readClientCredentials(basic('a%3Ab:c+d:e'), {})).toEqual({ clientId: 'a:b', clientSecret: 'c d:e' });
  });

  it.each(['Basic', 'Basic ', 'Basic !!!', `Basic ${Buffer.from('no-colon').toString('base64')}`, basic('%zz:b')])(
    'rejects the malformed header %j and does not fall back to the body',
    (header) => {
      expect(() => readClientCredentials(header, { client_id: 'a', client_secret: 'b' })).toThrow(
        'Client authentication failed',
      );
    },
  );

  it('returns undefined if there are no credentials', () => {
    expect(readClientCredentials('Bearer x', {})).toBeUndefined();
  });
});

describe('readBasicPassword', () => {
  it.each([
    [basic('user:wsk_1'), 'wsk_1'],
    [basic(':a:b'), 'a:b'],
    [basic('a%3Ab:c+d'), 'c+d'],
    ['basic', ''],
    [basic('no-colon'), ''],
    ['Basic !!!', ''],
  ])('reads the password of %j as it is', (header, password) => {
    expect(readBasicPassword(header)).toBe(password);
  });

  it.each([undefined, '', 'Bearer x', 'Basically x'])('finds none in %j', (header) => {
    expect(readBasicPassword(header)).toBeUndefined();
  });
});
