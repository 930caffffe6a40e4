import fc from 'fast-check';
import { findViolations } from '../support/contract/check.js';
import { operations } from '../support/contract/document.js';
import { planInheritedNames } from '../support/contract/inherited-names.js';
import { type PlannedRequest, plannedRequest } from '../support/contract/requests.js';
import { World } from '../support/contract/world.js';
import { TestDatabase, TestService } from '../support/service.js';

/**
 * Each run sends equal requests, so that a failure belongs to a change. Others by hand:
 * `CONTRACT_REQUESTS=50000 CONTRACT_SEED=7 npm run test:nightly -- contract`.
 */
const REQUESTS = Number(process.env['CONTRACT_REQUESTS'] ?? 2_000);
const SEED = Number(process.env['CONTRACT_SEED'] ?? 1);
const CONCURRENCY = 4;

let database: TestDatabase;
let service: TestService;
let world: World;

beforeAll(async () => {
  database = await TestDatabase.create();
  service = await TestService.start(database, {
    RATE_LIMIT_PUBLIC: 'off',
    RATE_LIMIT_PUBLIC_TOGETHER: 'off',
    MAX_SESSIONS_PER_USER: '1000000',
  });
  world = await World.create(service);
});

afterAll(async () => {
  world?.close();
  await service?.stop();
  await database?.drop();
});

/** The violations, each with its first request. */
const found = new Map<string, string>();
const statuses = new Map<string, number>();

async function send(request: PlannedRequest): Promise<void> {
  const { operation, caller, path, headers, body } = request;
  const answer = await world.send(request);
  const name = `${operation.method} ${operation.path}`;
  statuses.set(`${name} ${answer.status}`, (statuses.get(`${name} ${answer.status}`) ?? 0) + 1);
  for (const violation of findViolations(request, answer, world)) {
    const key = `${name}: ${violation}`;
    if (found.has(key)) continue;
    const sent = `${operation.method} ${path.slice(0, 300)} ${JSON.stringify(headers)} ${body?.toString().slice(0, 500) ?? ''}`;
    found.set(key, `as ${caller}: ${sent}\n    ${answer.text.slice(0, 300)}`);
  }
}

async function sendAll(requests: PlannedRequest[]): Promise<void> {
  const worker = async () => {
    for (let next = requests.pop(); next; next = requests.pop()) await send(next);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  const report = [...found].map(([violation, first]) => `${violation}\n  ${first}`);
  expect(report.join('\n')).toBe('');
}

it(`every response to ${REQUESTS} requests conforms to the OpenAPI document (seed ${SEED})`, async () => {
  process.stderr.write(`Contract: ${REQUESTS} requests to ${operations.length} operations, CONTRACT_SEED=${SEED}\n`);
  await sendAll(fc.sample(plannedRequest, { seed: SEED, numRuns: REQUESTS }));
  // Many requests must pass validation, otherwise only error responses are checked.
  const succeeded = [...statuses].filter(([name]) => /2\d\d$/.test(name));
  expect(succeeded.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(REQUESTS / 10);
}, 3_600_000);

it('every response to a request with the name of an inherited property conforms to the OpenAPI document', async () => {
  await sendAll([...planInheritedNames()]);
}, 3_600_000);

it('the log of the service contains no secret and no unhandled error', () => {
  const log = service.output.join('');
  expect(log).not.toMatch(/Unhandled|uncaught/i);
  expect(log).not.toMatch(/\bws[sk]_[\w-]{10,}|\beyJ[\w-]{10,}/);
});
