import { generateSecret, isWellFormedSecret } from './secrets.js';

describe('generated secrets', () => {
  it('have a prefix, 43 base62 characters and a checksum of 6 characters', () => {
    expect(generateSecret('wss_')).toMatch(/^wss_[0-9A-Za-z]{49}$/);
    expect(generateSecret('wss_')).not.toBe(generateSecret('wss_'));
  });

  it('are recognized as well-formed', () => {
    for (let i = 0; i < 200; i++) expect(isWellFormedSecret('wsk_', generateSecret('wsk_'))).toBe(true);
  });

  it('are not well-formed with a typo, another prefix or another length', () => {
    const secret = generateSecret('wsk_');
    const typo = secret.slice(0, 10) + (secret[10] === 'a' ? 'b' : 'a') + secret.slice(11);
    for (const wrong of [typo, secret.replace('wsk_', 'wss_'), secret.slice(0, -1), `${secret}0`, '']) {
      expect(isWellFormedSecret('wsk_', wrong)).toBe(false);
    }
  });
});
