import type { IncomingMessage } from 'node:http';
import { isGated } from './request-class.js';

const PREFLIGHT = { 'access-control-request-method': 'POST' };

it.each<[method: string, path: string, isLimited: boolean, headers?: Record<string, string>]>([
  ['GET', '/v1/api/projects', true],
  ['GET', '/odata/v1/x', true],
  ['GET', '/openapi.json', true],
  ['GET', '/docs', true],
  ['GET', '/unknown', true],
  ['GET', '/metrics/x', true],
  ['OPTIONS', '/v1/api/projects', true],
  ['GET', '/v1/api/workspaces/w/assets/t/import', true],
  ['POST', '/v1/api/workspaces/w/assets/t/import/x', true],
  ['POST', '/v1/api/workspaces/w/assets/t/Import', false],
  ['POST', '/v1/api/workspaces/w/assets/t/compare', false],
  ['OPTIONS', '/v1/api/projects', false, PREFLIGHT],
  ['GET', '/health/live', false],
  ['GET', '/Metrics', false],
])('%s %s is limited: %s', (method, path, isLimited, headers = {}) => {
  for (const url of [path, `${path}?a=/health/live`, `http://example.com${path}`])
    expect({ url, isLimited: isGated({ method, url, headers } as unknown as IncomingMessage) }).toEqual({
      url,
      isLimited,
    });
});
