import { clientCredentialsOf } from './client-credentials.js';

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('client credentials of a token request', () => {
  it('come from the body', () => {
    expect(clientCredentialsOf(undefined, { client_id: 'a', client_secret: 'b' })).toEqual({
      clientId: 'a',
      clientSecret: 'b',
    });
  });

  it('come from the Basic header where both are sent', () => {
    expect(clientCredentialsOf(basic('c:d'), { client_id: 'a', client_secret: 'b' })).toEqual({
      clientId: 'c',
      clientSecret: 'd',
    });
  });

  it('are form-decoded in the Basic header, and only the first colon separates', () => {
    expect(clientCredentialsOf(basic('a%3Ab:c+d:e'), {})).toEqual({ clientId: 'a:b', clientSecret: 'c d:e' });
  });

  it.each(['Basic', 'Basic ', 'Basic !!!', `Basic ${Buffer.from('no-colon').toString('base64')}`, basic('%zz:b')])(
    'are refused, and not looked for in the body, where the header is %j',
    (header) => {
      expect(() => clientCredentialsOf(header, { client_id: 'a', client_secret: 'b' })).toThrow(
        'Client authentication failed',
      );
    },
  );

  it('may be absent', () => {
    expect(clientCredentialsOf('Bearer x', {})).toBeUndefined();
  });
});
