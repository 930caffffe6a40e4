import express from 'express';
import { filterRoutesBySegments, listLayers } from './route-filter.js';

/** Every route records its path; the first that matches answers. */
const ROUTES = [
  '/health/live',
  '/v1/api/projects',
  '/v1/api/projects/:projectId',
  '/v1/api/projects/:projectId/archive',
  '/v1/api/:kind/:id',
  '/.well-known/jwks.json',
  '/docs/*asset',
  '/optional{/:part}',
];

const PATHS = [
  ['/health/live', '/health/live'],
  ['/Health/LIVE', '/health/live'],
  ['/health/live/', undefined],
  ['/v1/api/projects', '/v1/api/projects'],
  ['/v1/api/projects/', undefined],
  ['/v1/api/projects/7/', undefined],
  ['/v1/api/PROJECTS/a%2Fb', '/v1/api/projects/:projectId'],
  ['/v1/api/projects/7/archive', '/v1/api/projects/:projectId/archive'],
  ['/v1/api/tours/7', '/v1/api/:kind/:id'],
  ['/v1/api/tours//7', undefined],
  ['//v1/api/projects', undefined],
  ['/v1/api/projects//', undefined],
  ['/.well-known/jwks.json', '/.well-known/jwks.json'],
  ['/docs/a/b.js', '/docs/*asset'],
  ['/optional', '/optional{/:part}'],
  ['/optional/x', '/optional{/:part}'],
  ['/', undefined],
];

function createApp() {
  const app = express();
  app.enable('strict routing');
  for (const path of ROUTES) app.get(path, () => undefined);
  return app;
}

const findRoute = (app: ReturnType<typeof createApp>, path: string) =>
  listLayers(app).find((layer) => layer.match(path) !== false)?.route?.path;

describe('routes filtered by their segments', () => {
  const plain = createApp();
  const filtered = createApp();
  filterRoutesBySegments(filtered);

  it.each(PATHS)('match %s as Express does', (path, expected) => {
    expect([findRoute(plain, path!), findRoute(filtered, path!)]).toEqual([expected, expected]);
  });

  it('return the parameters of the path', () => {
    const [match] = listLayers(filtered).flatMap((layer) => layer.match('/v1/api/projects/a%20b') || []);
    expect(match!.params).toEqual({ projectId: 'a b' });
  });
});
