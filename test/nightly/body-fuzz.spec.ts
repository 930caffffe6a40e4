import { Api } from '../support/api.js';
import { fuzzBodies } from '../support/body-fuzz.js';
import { TestDatabase, TestService } from '../support/service.js';

describe('many random changes of bodies', () => {
  let database: TestDatabase;
  let service: TestService;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database, { RATE_LIMIT_WRITE: 'off' });
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  it.each([1, 2, 3, 4])(
    'lose nothing and end nothing: part %d of 4',
    async (part) => {
      const { apiKey, workspaceId } = await service.provision();
      const seed = (Date.now() + part) % 2 ** 31;
      const api = new Api(service.baseUrl).withKey(apiKey);
      const { failures } = await fuzzBodies(api, `/v2/api/workspaces/${workspaceId}/notes`, 5_000, seed);
      expect({ seed, failures }).toEqual({ seed, failures: [] });
      expect(service.output.join('')).not.toMatch(/uncaught/i);
    },
    1_200_000,
  );
});
