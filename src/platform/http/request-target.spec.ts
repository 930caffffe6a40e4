import type { IncomingMessage } from 'node:http';
import { readTarget } from './request-target.js';

it.each([
  ['/v1/x?q=http://b/', '/v1/x?q=http://b/', 'a'],
  ['*', '*', 'a'],
  ['http://b', '/', 'b'],
  ['http://b?q=1', '/?q=1', 'b'],
  ['HTTP://b:80/x/../y?q', '/x/../y?q', 'b:80'],
  ['https://[::1]:8/x', '/x', '[::1]:8'],
])('reads %s as %s of %s', (url, path, host) => {
  const request = { url, headers: { host: 'a' } } as IncomingMessage;
  expect([readTarget(request), request.url, request.headers.host]).toEqual([true, path, host]);
});

it.each([
  'http://[/x',
  'http://',
  'http:///x',
  'http://a@b/',
  'http://b:99999/',
  'ftp://b/',
  '',
  '*#',
  '/x#',
  '/x?q=#1&r=2',
  'http://b#/x',
  'http://b/x?q=#1&r=2',
])('rejects %s', (url) => {
  expect(readTarget({ url, headers: { host: 'a' } } as IncomingMessage)).toBe(false);
});

it('does not add a host to a request without one', () => {
  const request = { url: 'http://b/x', headers: {} } as IncomingMessage;
  expect([readTarget(request), request.headers]).toEqual([true, {}]);
});
