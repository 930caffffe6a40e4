import { parseEnvironment } from './environment.js';
import { parsePolicy, InvalidPolicyError } from './rate-policy.js';

describe('parsePolicy', () => {
  it.each([
    ['5/60/1800', { attempts: 5, windowS: 60, blockS: 1800 }],
    ['50/60', { attempts: 50, windowS: 60, blockS: 0 }],
    ['1/1/1', { attempts: 1, windowS: 1, blockS: 1 }],
    ['1000/2678400', { attempts: 1000, windowS: 2_678_400, blockS: 0 }],
    ['off', null],
  ])('parses %s', (text, policy) => expect(parsePolicy(text, 1_000)).toEqual(policy));

  it.each([
    ['', /attempts\/seconds/],
    ['5', /attempts\/seconds/],
    ['5/', /attempts\/seconds/],
    ['5/60/', /attempts\/seconds/],
    ['5/60/1800/1', /attempts\/seconds/],
    ['5 / 60', /attempts\/seconds/],
    ['5/1.5', /attempts\/seconds/],
    ['-5/60', /attempts\/seconds/],
    ['5/60s', /attempts\/seconds/],
    ['1e3/60', /attempts\/seconds/],
    ['٥/60', /attempts\/seconds/],
    ['OFF', /attempts\/seconds/],
    ['0/60', /1 to 1000 attempts/],
    ['1001/60', /1 to 1000 attempts/],
    ['5/0', /at least 1 second/],
    ['5/2678401', /over 2678400 seconds/],
    ['5/60/2678401', /over 2678400 seconds/],
    ['5/60/59', /at least as long as its window/],
  ])('rejects %j with the reason', (text, reason) => {
    expect(() => parsePolicy(text, 1_000)).toThrow(InvalidPolicyError);
    expect(() => parsePolicy(text, 1_000)).toThrow(reason);
  });

  it('reports the name of the setting', () => {
    const settings = { RATE_LIMIT_TOKEN: '1001/60', RATE_LIMIT_READ: '5 per minute', RATE_LIMIT_WRITE: '1001/60' };
    expect(() => parseEnvironment(settings)).toThrow(
      'RATE_LIMIT_READ: must be attempts/seconds, attempts/seconds/blockSeconds, or off; it is "5 per minute"\n' +
        'RATE_LIMIT_TOKEN: must allow 1 to 1000 attempts, or be off; it is "1001/60"',
    );
  });
});
