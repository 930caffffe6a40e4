import { isIssuerUrl } from './issuer-url.js';

it.each([
  ['https://login.example.com/tenant/v2.0', true],
  ['http://127.0.0.1:3000', true],
  ['http://localhost:3000/realms/a', true],
  ['http://login.example.com', false],
  ['http://localhost.example.com', false],
  ['https://a:b@login.example.com', false],
  ['https://login.example.com?x=1', false],
  ['file:///etc/passwd', false],
  ['login.example.com', false],
])('%s as the URL of an issuer: %s', (url, isValid) => {
  expect(isIssuerUrl(url)).toBe(isValid);
});
