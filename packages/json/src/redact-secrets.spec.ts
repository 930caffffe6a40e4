import { redactSecrets } from './redact-secrets.js';

describe('a text without secrets', () => {
  it.each([
    ['/v1/api/x/wss_0aZ9', '/v1/api/x/wss_…'],
    ['/v1/api/sessions/wsk_0aZ9/y', '/v1/api/sessions/wsk_…/y'],
    ['/x/eyJhbGci.eyJzdWIi.c2ln-_a', '/x/eyJ…'],
    ['Unexpected token, ..."ret":wss_leL7BV"... is not', 'Unexpected token, ..."ret":wss_…"... is not'],
    ['/v1/api/tours/wsk%5F0aZ9', '/v1/api/tours/wsk_…'],
    ['/v1/api/tours/%77sk_0a%5A9/x%20y', '/v1/api/tours/wsk_…/x%20y'],
    ['/v1/api/tours/%20wsk_0aZ9', '/v1/api/tours/%20wsk_…'],
    ['/v1/api/tours/%2Fwsk_0aZ9', '/v1/api/tours/%2Fwsk_…'],
    ['/v1/api/tours/%C3%A4eyJhbGci', '/v1/api/tours/%C3%A4eyJ…'],
    ['/v1/api/keyJobs', '/v1/api/keyJobs'],
    ['/v1/api/tours/a%5Fb', '/v1/api/tours/a%5Fb'],
    ['/v1/api/tours?cursor=1', '/v1/api/tours?cursor=1'],
    ['/v1/api/clients/wsc_0aZ9', '/v1/api/clients/wsc_0aZ9'],
  ])('%s', (text, masked) => expect(redactSecrets(text)).toBe(masked));
});
