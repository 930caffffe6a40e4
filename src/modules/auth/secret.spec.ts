import { isWellFormedSecret, makeSecret } from './secret.js';

describe('machine-made secrets', () => {
  it('have a prefix, 43 base62 characters and a check of 6', () => {
    expect(makeSecret('wss_')).toMatch(/^wss_[0-9A-Za-z]{49}$/);
    expect(makeSecret('wss_')).not.toBe(makeSecret('wss_'));
  });

  it('are recognised', () => {
    for (let i = 0; i < 200; i++) expect(isWellFormedSecret('wsk_', makeSecret('wsk_'))).toBe(true);
  });

  it('are refused with a typo, another prefix, or another length', () => {
    const secret = makeSecret('wsk_');
    const typo = secret.slice(0, 10) + (secret[10] === 'a' ? 'b' : 'a') + secret.slice(11);
    for (const wrong of [typo, secret.replace('wsk_', 'wss_'), secret.slice(0, -1), `${secret}0`, '']) {
      expect(isWellFormedSecret('wsk_', wrong)).toBe(false);
    }
  });
});
